// SPDX-License-Identifier: GPL-2.0-or-later
// JSON (RFC 8259) as plain values. The one door to the library that parses and writes it, which this header
// does not include.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace op {

/// A JSON value. Plain data. Strings are UTF-8 if they were parsed; a program may put any bytes into one.
class Json {
public:
    struct Member;
    using Array = std::vector<Json>;
    using Object =
        std::vector<Member>;  ///< in the order they were added; parsed ones by name, each name once

    /// Null; becomes an array or object when something is put into it.
    Json();
    Json(bool value);
    Json(double value);
    Json(uint64_t value);
    Json(int64_t value);
    template <std::unsigned_integral T>
    Json(T value) : Json(uint64_t{value}) {}
    template <std::signed_integral T>
    Json(T value) : Json(int64_t{value}) {}
    Json(std::string value);
    Json(std::string_view value);
    Json(const char* value);
    Json(Array values);
    Json(const std::vector<std::string>& values);
    Json(const std::vector<uint64_t>& values);
    Json(std::initializer_list<Member> members);

    // Not here, so that each is compiled once.
    Json(const Json&);
    Json(Json&&) noexcept;
    Json& operator=(const Json&);
    Json& operator=(Json&&) noexcept;
    ~Json();

    static Json array();
    static Json object();

    /// The member of that name, of an object or null. A missing member is added as null.
    Json& operator[](std::string_view name);
    /// Adds an element to an array or null, and returns it.
    Json& add(Json value);
    /// Adds a member to an object or null, and returns its value. It must not have one of that name.
    Json& add(std::string name, Json value);

    /// The value if it has that kind, otherwise null.
    const bool* if_bool() const noexcept;
    const std::string* if_string() const noexcept;
    const Array* if_array() const noexcept;
    const Object* if_object() const noexcept;
    Array* if_array() noexcept;
    /// Any number, rounded if need be.
    std::optional<double> number() const noexcept;
    /// A whole number from 0 to 2^64 - 1.
    std::optional<uint64_t> unsigned_number() const noexcept;
    /// The member of that name; null if it is missing or this is not an object.
    const Json* find(std::string_view name) const noexcept;

private:
    friend class JsonBuilder;
    friend struct JsonConversion;

    std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Array, Object> value_;
};

struct Json::Member {
    std::string name;
    Json value;
};

/// Limits on a text that is parsed.
struct JsonLimits {
    size_t bytes = std::numeric_limits<size_t>::max();
    size_t values = std::numeric_limits<size_t>::max();  ///< including those within others
    size_t depth = 32;                                   ///< of arrays and objects that hold a value
};

/// Parses a text. Throws an input error, which begins with `label`, if it is not JSON or beyond the limits;
/// `kind` names what the text should be: "too large for a <kind>".
Json parse_json(std::string_view text, std::string_view label, std::string_view kind,
                const JsonLimits& limits);

/// The format of written text.
struct JsonLayout {
    int indent = 0;  ///< of these characters a level; -1 = all in one line
    char indent_character = ' ';
    bool sorts_members = false;  ///< by name, else in their order
};

/// The value as text, without a newline at its end. Bytes of strings that are not UTF-8 become U+FFFD,
/// characters that a terminal may obey (libop/base/text.h, printable) are escaped, and numbers that are not
/// finite become null.
std::string json_text(Json value, const JsonLayout& layout);

}  // namespace op
