// SPDX-License-Identifier: GPL-2.0-or-later
// JSON by nlohmann::json.
#include "libop/base/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {

namespace {

/// Keeps members in the order they were added.
using Written = nlohmann::ordered_json;

template <class T>
Json::Array array_of(const std::vector<T>& values) {
    return Json::Array(values.begin(), values.end());
}

/// Sorts members by name; of several with one name the last remains.
void settle(Json::Object& members) {
    std::ranges::stable_sort(members, {}, &Json::Member::name);
    size_t kept = 0;
    for (size_t i = 0; i < members.size(); ++i) {
        if (i + 1 < members.size() && members[i].name == members[i + 1].name) continue;
        if (kept != i) members[kept] = std::move(members[i]);
        ++kept;
    }
    members.resize(kept);
}

}  // namespace

/// Builds a value from the parser's events; the functions' names are the library's.
class JsonBuilder {
public:
    JsonBuilder(std::string_view label, std::string_view kind, const JsonLimits& limits)
        : label_(label), kind_(kind), limits_(limits) {}

    bool null() { return put({}); }
    bool boolean(bool value) { return put(value); }
    bool number_integer(int64_t value) { return put(value); }
    bool number_unsigned(uint64_t value) { return put(value); }
    bool number_float(double value, const std::string&) { return put(value); }
    bool string(std::string& value) { return put(std::move(value)); }
    bool binary(std::vector<uint8_t>&) { return false; }
    bool start_array(size_t) { return open(Json::array()); }
    bool start_object(size_t) { return open(Json::object()); }
    bool key(std::string& name) {
        check_depth();
        name_ = std::move(name);
        return true;
    }
    bool end_array() { return close(); }
    bool end_object() {
        settle(std::get<Json::Object>(open_.back()->value_));
        return close();
    }
    bool parse_error(size_t byte, const std::string&, const nlohmann::detail::exception& error) {
        constexpr int number_overflow = 406;
        if (error.id == number_overflow) throw_input(label_ + ": invalid JSON, a number is out of range");
        throw_input(label_ + ": invalid JSON at byte " + std::to_string(byte));
    }

    Json finish() && { return std::move(result_); }
    [[noreturn]] void refuse_size() const { throw_input(label_ + ": too large for a " + kind_); }

private:
    void check_depth() const {
        if (open_.size() > limits_.depth) throw_input(label_ + ": nested too deeply for a " + kind_);
    }

    /// Puts a value where one is expected; it does not move before the next is put there.
    Json& place(Json&& value) {
        check_depth();
        if (++values_ > limits_.values) refuse_size();
        if (open_.empty()) return result_ = std::move(value);
        Json& parent = *open_.back();
        return parent.if_array() ? parent.add(std::move(value))
                                 : parent.add(std::move(name_), std::move(value));
    }
    bool put(Json value) {
        place(std::move(value));
        return true;
    }
    bool open(Json value) {
        open_.push_back(&place(std::move(value)));
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    std::string label_, kind_;
    JsonLimits limits_;
    size_t values_ = 0;
    Json result_;
    std::vector<Json*> open_;  ///< arrays and objects, each the last value within the one before
    std::string name_;         ///< of the next member
};

/// Makes the library's value of a plain one, which is used up.
struct JsonConversion {
    bool sorts_members;

    Written operator()(Json& json) const { return std::visit(*this, json.value_); }
    Written operator()(std::monostate) const { return nullptr; }
    template <class Scalar>
    Written operator()(Scalar& value) const {
        return std::move(value);
    }
    Written operator()(Json::Array& values) const {
        Written::array_t array;
        array.reserve(values.size());
        for (Json& value : values)
            array.push_back((*this)(value));
        return array;
    }
    Written operator()(Json::Object& members) const {
        if (sorts_members) std::ranges::sort(members, {}, &Json::Member::name);
        Written object = Written::object();
        // As a vector: the map's own insertion compares each name with all before it.
        auto& out = static_cast<Written::object_t::Container&>(object.get_ref<Written::object_t&>());
        out.reserve(members.size());
        for (Json::Member& member : members)
            out.emplace_back(std::move(member.name), (*this)(member.value));
        return object;
    }
};

Json::Json() = default;
Json::Json(bool value) : value_(value) {}
Json::Json(double value) : value_(value) {}
Json::Json(uint64_t value) : value_(value) {}
Json::Json(int64_t value) : value_(value) {}
Json::Json(std::string value) : value_(std::move(value)) {}
Json::Json(std::string_view value) : value_(std::string(value)) {}
Json::Json(const char* value) : value_(std::string(value)) {}
Json::Json(Array values) : value_(std::move(values)) {}
Json::Json(const std::vector<std::string>& values) : value_(array_of(values)) {}
Json::Json(const std::vector<uint64_t>& values) : value_(array_of(values)) {}
Json::Json(std::initializer_list<Member> members) : value_(Object(members)) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json Json::array() {
    return Array();
}

Json Json::object() {
    return std::initializer_list<Member>{};
}

Json& Json::operator[](std::string_view name) {
    if (std::holds_alternative<std::monostate>(value_)) value_ = Object();
    auto& members = std::get<Object>(value_);
    const auto at = std::ranges::find(members, name, &Member::name);
    return at != members.end() ? at->value : add(std::string(name), {});
}

Json& Json::add(Json value) {
    if (std::holds_alternative<std::monostate>(value_)) value_ = Array();
    return std::get<Array>(value_).emplace_back(std::move(value));
}

Json& Json::add(std::string name, Json value) {
    if (std::holds_alternative<std::monostate>(value_)) value_ = Object();
    return std::get<Object>(value_).emplace_back(Member{std::move(name), std::move(value)}).value;
}

const bool* Json::if_bool() const noexcept {
    return std::get_if<bool>(&value_);
}

const std::string* Json::if_string() const noexcept {
    return std::get_if<std::string>(&value_);
}

const Json::Array* Json::if_array() const noexcept {
    return std::get_if<Array>(&value_);
}

const Json::Object* Json::if_object() const noexcept {
    return std::get_if<Object>(&value_);
}

Json::Array* Json::if_array() noexcept {
    return std::get_if<Array>(&value_);
}

std::optional<double> Json::number() const noexcept {
    if (const auto* const real = std::get_if<double>(&value_)) return *real;
    if (const auto* const whole = std::get_if<int64_t>(&value_)) return static_cast<double>(*whole);
    if (const auto* const whole = std::get_if<uint64_t>(&value_)) return static_cast<double>(*whole);
    return std::nullopt;
}

std::optional<uint64_t> Json::unsigned_number() const noexcept {
    if (const auto* const whole = std::get_if<uint64_t>(&value_)) return *whole;
    const auto* const whole = std::get_if<int64_t>(&value_);
    return whole && *whole >= 0 ? std::optional(static_cast<uint64_t>(*whole)) : std::nullopt;
}

const Json* Json::find(std::string_view name) const noexcept {
    const Object* const members = if_object();
    if (!members) return nullptr;
    const auto at = std::ranges::find(*members, name, &Member::name);
    return at == members->end() ? nullptr : &at->value;
}

Json parse_json(std::string_view text, std::string_view label, std::string_view kind,
                const JsonLimits& limits) {
    JsonBuilder builder{label, kind, limits};
    if (text.size() > limits.bytes) builder.refuse_size();
    // To the parser a NUL is the end of the text, whatever follows.
    if (const size_t nul = text.find('\0'); nul != text.npos)
        throw_input(std::string(label) + ": invalid JSON at byte " + std::to_string(nul + 1));
    Written::sax_parse(text.begin(), text.end(), &builder);
    return std::move(builder).finish();
}

namespace {

bool is_beyond_printable_ascii(char c) noexcept {
    return static_cast<unsigned char>(c) >= 0x7f;
}

/// "\\u" and four digits for a UTF-8 character of up to three bytes.
std::string escaped(std::string_view character) {
    unsigned value = static_cast<unsigned char>(character.front());
    if (character.size() > 1) value &= character.size() == 2 ? 0x1f : 0xf;
    for (const char c : character.substr(1))
        value = value << 6 | (static_cast<unsigned char>(c) & 0x3f);
    std::string result = "\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
        result += "0123456789abcdef"[value >> shift & 0xf];
    return result;
}

/// Escapes the characters that a terminal may obey and JSON allows as they are. `text` is UTF-8.
std::string with_escapes(std::string text) {
    if (std::ranges::none_of(text, is_beyond_printable_ascii)) return text;
    std::string result;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view character = rest.substr(0, std::max<size_t>(utf8_length(rest), 1));
        const bool is_control = is_beyond_printable_ascii(rest.front()) && printable(character) == "?";
        result += is_control ? escaped(character) : std::string(character);
        rest.remove_prefix(character.size());
    }
    return result;
}

}  // namespace

std::string json_text(Json value, const JsonLayout& layout) {
    const Written written = JsonConversion{layout.sorts_members}(value);
    return with_escapes(
        written.dump(layout.indent, layout.indent_character, false, Written::error_handler_t::replace));
}

}  // namespace op
