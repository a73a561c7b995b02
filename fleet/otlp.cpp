// SPDX-License-Identifier: GPL-2.0-or-later
// Field numbers are those of opentelemetry-proto 1.10, profiles.proto. The second door to protozero, after
// pprof's.
#include "fleet/otlp.h"

#include <algorithm>
#include <map>
#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_reader.hpp>
#include <span>
#include <vector>

#include "fleet/sha256.h"
#include "libop/base/intern.h"
#include "libop/base/text.h"
#include "libop/events/event_table.h"
#include "libop/session/event_label.h"

namespace op::fleet {
namespace {

using protozero::pbf_builder;
using protozero::pbf_tag_type;

enum class Request : pbf_tag_type { resource_profiles = 1, dictionary = 2 };
enum class ResourceProfiles : pbf_tag_type { resource = 1, scope_profiles = 2 };
enum class Resource : pbf_tag_type { attributes = 1 };
enum class KeyValue : pbf_tag_type { key = 1, value = 2 };
enum class AnyValue : pbf_tag_type { string_value = 1 };
enum class ScopeProfiles : pbf_tag_type { scope = 1, profiles = 2 };
enum class Scope : pbf_tag_type { name = 1, version = 2 };
enum class ProfileField : pbf_tag_type {
    sample_type = 1,
    samples = 2,
    time_unix_nano = 3,
    duration_nano = 4,
    period_type = 5,
    period = 6,
    profile_id = 7,
};
enum class ValueType : pbf_tag_type { type = 1, unit = 2 };
enum class Sample : pbf_tag_type { stack = 1, values = 4 };
enum class Dictionary : pbf_tag_type { mapping = 1, location, function, link, string, attribute, stack };
enum class Stack : pbf_tag_type { locations = 1 };
enum class LocationField : pbf_tag_type { mapping = 1, address = 2, lines = 3 };
enum class Line : pbf_tag_type { function = 1, line = 2 };
enum class Function : pbf_tag_type { name = 1, system_name = 2, file = 3, start_line = 4 };
enum class Mapping : pbf_tag_type { start = 1, limit = 2, file_offset = 3, filename = 4, attributes = 5 };
enum class Attribute : pbf_tag_type { key = 1, value = 2 };
enum class Answer : pbf_tag_type { partial_success = 1 };
enum class PartialSuccess : pbf_tag_type { rejected = 1, message = 2 };

constexpr uint64_t page = 4096, second = 1'000'000'000;

std::string utf8(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const size_t length = utf8_length(text);
        result += length ? text.substr(0, length) : std::string_view("\xef\xbf\xbd");
        text.remove_prefix(std::max<size_t>(length, 1));
    }
    return printable(result);
}

int64_t to_signed(uint64_t n) {
    return static_cast<int64_t>(std::min<uint64_t>(n, INT64_MAX));
}

class OtlpWriter {
public:
    OtlpWriter(const pp::Profile& profile, const OtlpContext& context)
        : profile_(profile), context_(context) {
        // Entry 0 of each table.
        for (const auto table : {Dictionary::mapping, Dictionary::location, Dictionary::function,
                                 Dictionary::link, Dictionary::attribute, Dictionary::stack})
            dictionary_.add_message(table, std::string());
    }

    std::string write() && {
        std::string bytes;
        pbf_builder<Request> out(bytes);
        {
            pbf_builder<ResourceProfiles> resource(out, Request::resource_profiles);
            put_resource(resource);
            pbf_builder<ScopeProfiles> scope(resource, ResourceProfiles::scope_profiles);
            {
                pbf_builder<Scope> self(scope, ScopeProfiles::scope);
                self.add_string(Scope::name, "oprofile-ng");
                self.add_string(Scope::version, OP_VERSION);
            }
            put_profiles(scope);
        }
        for (const auto& [key, extent] : mappings_)
            order_[extent.id] = key;
        for (const auto& [id, key] : order_)
            put_mapping(key, mappings_.at(key));
        for (uint32_t i = 0; i < strings_.size(); ++i)
            dictionary_.add_string(Dictionary::string, std::string(strings_.text(StringId{i})));
        out.add_message(Request::dictionary, dictionary_bytes_);
        return bytes;
    }

private:
    int32_t string(std::string_view text) { return static_cast<int32_t>(strings_.intern(utf8(text))); }

    void put_resource(pbf_builder<ResourceProfiles>& out) {
        pbf_builder<Resource> resource(out, ResourceProfiles::resource);
        const auto put = [&](const char* key, std::string_view value) {
            pbf_builder<KeyValue> pair(resource, Resource::attributes);
            pair.add_string(KeyValue::key, key);
            pbf_builder<AnyValue> any(pair, KeyValue::value);
            any.add_string(AnyValue::string_value, utf8(value));
        };
        put("service.name", base_name(context_.application));
        put("host.name", context_.host);
        put("process.executable.path", context_.application);
    }

    // One profile for each event: columns that differ in the rest share it.
    void put_profiles(pbf_builder<ScopeProfiles>& scope) {
        std::map<std::string, std::vector<uint32_t>> events;
        for (uint32_t i = 0; i < profile_.columns.size(); ++i) {
            const pp::ProfileClass& column = profile_.columns[i];
            events[event_label(column.event, column.count, column.unit_mask)].push_back(i);
        }
        for (const auto& [event, columns] : events)
            if (const auto samples = samples_of(columns); !samples.empty())
                put_profile(scope, event, profile_.columns[columns.front()], samples);
    }

    void put_profile(pbf_builder<ScopeProfiles>& scope, const std::string& event,
                     const pp::ProfileClass& column, const std::map<int32_t, uint64_t>& samples) {
        pbf_builder<ProfileField> out(scope, ScopeProfiles::profiles);
        put_type(out, ProfileField::sample_type, "samples", "count");
        for (const auto& [stack, count] : samples) {
            pbf_builder<Sample> sample(out, ProfileField::samples);
            sample.add_int32(Sample::stack, stack);
            const int64_t values[] = {to_signed(count)};
            sample.add_packed_int64(Sample::values, std::begin(values), std::end(values));
        }
        if (const SessionInfo* const info = context_.info; info && info->start_time != 0) {
            out.add_fixed64(ProfileField::time_unix_nano, info->start_time * second);
            if (info->stop_time > info->start_time)
                out.add_uint64(ProfileField::duration_nano, (info->stop_time - info->start_time) * second);
        }
        put_type(out, ProfileField::period_type, column.event,
                 column.event == timer_event ? "nanoseconds" : "count");
        out.add_int64(ProfileField::period, to_signed(column.count));
        const std::string identity = context_.identity + '\0' + context_.application + '\0' + event;
        const Sha256 digest = sha256(std::as_bytes(std::span(identity)));
        out.add_bytes(ProfileField::profile_id, reinterpret_cast<const char*>(digest.data()), 16);
    }

    void put_type(pbf_builder<ProfileField>& out, ProfileField field, std::string_view type,
                  std::string_view unit) {
        pbf_builder<ValueType> message(out, field);
        message.add_int32(ValueType::type, string(type));
        message.add_int32(ValueType::unit, string(unit));
    }

    // Samples

    /// The counts of these columns by stack.
    std::map<int32_t, uint64_t> samples_of(const std::vector<uint32_t>& columns) {
        std::map<int32_t, uint64_t> samples;
        const auto is_of = [&](uint32_t column) {
            return std::ranges::find(columns, column) != columns.end();
        };
        if (!profile_.stacks.is_empty()) {
            for (const pp::StackCount& entry : profile_.stacks.counts)
                if (is_of(entry.column)) samples[stack_of_node(entry.node)] += entry.count;
            return samples;
        }
        for (size_t i = 0; i < profile_.samples.size(); ++i)
            for (const uint32_t column : columns)
                if (const uint64_t count = profile_.count(i, column))
                    samples[stack_of({location(profile_.frames[profile_.samples[i].first_frame],
                                               pp::CodeAddress::instruction)})] += count;
        return samples;
    }

    int32_t stack_of_node(uint32_t node) {
        const pp::StackTree& tree = profile_.stacks;
        std::vector<int32_t> locations;
        for (; tree.nodes[node].is_code(); node = tree.nodes[node].parent)
            locations.push_back(location(tree.nodes[node].location, pp::address_kind(tree.nodes[node])));
        return stack_of(locations);
    }

    int32_t stack_of(const std::vector<int32_t>& locations) {
        if (locations.empty()) return 0;
        const auto [at, is_new] = stacks_.try_emplace(locations, static_cast<int32_t>(stacks_.size() + 1));
        if (is_new) {
            pbf_builder<Stack> stack(dictionary_, Dictionary::stack);
            stack.add_packed_int32(Stack::locations, locations.begin(), locations.end());
        }
        return at->second;
    }

    // Locations

    pp::ImageSymbols& symbols(const pp::Location& at) const { return *profile_.images[at.image].symbols; }

    int32_t location(uint32_t index, pp::CodeAddress kind) {
        const auto [at, is_new] =
            locations_.try_emplace({index, kind}, static_cast<int32_t>(locations_.size() + 1));
        if (!is_new) return at->second;
        const pp::Location& place = profile_.locations[index];
        const ImageOffset byte = pp::code_byte(place.offset, kind);
        const int32_t function = function_of(place);
        const auto line = symbols(place).line(byte);
        const int32_t mapping = widen({place.image, symbols(place).displacement(byte)}, byte.value());
        pbf_builder<LocationField> message(dictionary_, Dictionary::location);
        message.add_int32(LocationField::mapping, mapping);
        message.add_uint64(LocationField::address, symbols(place).link_address(byte).value());
        if (function != 0) {
            pbf_builder<Line> row(message, LocationField::lines);
            row.add_int32(Line::function, function);
            if (line && line->line > 0) row.add_int64(Line::line, line->line);
        }
        return at->second;
    }

    /// 0 = it has no symbol.
    int32_t function_of(const pp::Location& place) {
        if (place.symbol == pp::Location::no_symbol) return 0;
        const auto [at, is_new] =
            functions_.try_emplace(place.symbol, static_cast<int32_t>(functions_.size() + 1));
        if (!is_new) return at->second;
        const pp::ImageSymbol& symbol = *profile_.symbols[place.symbol].symbol;
        const auto start = symbols(place).line(symbol.start);
        const int32_t name = string(symbols(place).name(symbol, pp::Demangle::normal));
        const int32_t system_name = string(symbol.name), file = start ? string(start->file) : 0;
        pbf_builder<Function> message(dictionary_, Dictionary::function);
        message.add_int32(Function::name, name);
        message.add_int32(Function::system_name, system_name);
        if (file != 0) message.add_int32(Function::file, file);
        if (start && start->line > 0) message.add_int64(Function::start_line, start->line);
        return at->second;
    }

    // Mappings

    struct Extent {
        int32_t id;
        uint64_t first, last;  ///< image offsets
    };
    using MappingKey = std::pair<uint32_t, uint64_t>;  ///< image; linked address - image offset

    int32_t widen(const MappingKey& key, uint64_t offset) {
        const auto [at, is_new] =
            mappings_.try_emplace(key, Extent{static_cast<int32_t>(mappings_.size() + 1), offset, offset});
        at->second.first = std::min(at->second.first, offset);
        at->second.last = std::max(at->second.last, offset);
        return at->second.id;
    }

    void put_mapping(const MappingKey& key, const Extent& extent) {
        const ImageName& image = profile_.images[key.first].name;
        const uint64_t first = extent.first / page * page, past = extent.last | (page - 1);
        const int32_t name = string(image.display()), build_id = build_id_attribute(image);
        pbf_builder<Mapping> message(dictionary_, Dictionary::mapping);
        message.add_uint64(Mapping::start, first + key.second);
        message.add_uint64(Mapping::limit, past + key.second + 1);
        message.add_uint64(Mapping::file_offset, first);
        message.add_int32(Mapping::filename, name);
        const int32_t attributes[] = {build_id};
        if (build_id != 0)
            message.add_packed_int32(Mapping::attributes, std::begin(attributes), std::end(attributes));
    }

    /// 0 = it is not known.
    int32_t build_id_attribute(const ImageName& image) {
        const bool may_have = context_.info && image.kind != ImageName::Kind::anon;
        const std::string id = may_have ? context_.info->build_id(image.name) : "";
        if (id.empty()) return 0;
        const auto [at, is_new] = attributes_.try_emplace(id, static_cast<int32_t>(attributes_.size() + 1));
        if (is_new) {
            pbf_builder<Attribute> message(dictionary_, Dictionary::attribute);
            message.add_int32(Attribute::key, string("process.executable.build_id.gnu"));
            pbf_builder<AnyValue> value(message, Attribute::value);
            value.add_string(AnyValue::string_value, id);
        }
        return at->second;
    }

    const pp::Profile& profile_;
    const OtlpContext& context_;
    std::string dictionary_bytes_;
    pbf_builder<Dictionary> dictionary_{dictionary_bytes_};
    StringTable strings_;  ///< entry 0 is ""
    std::map<std::vector<int32_t>, int32_t> stacks_;
    std::map<std::pair<uint32_t, pp::CodeAddress>, int32_t> locations_;
    std::map<uint32_t, int32_t> functions_;
    std::map<MappingKey, Extent> mappings_;
    std::map<int32_t, MappingKey> order_;
    std::map<std::string, int32_t> attributes_;
};

}  // namespace

std::string encode_otlp(const pp::Profile& part, const OtlpContext& context) {
    return OtlpWriter(part, context).write();
}

std::string otlp_rejection(std::string_view body) {
    std::string message;
    int64_t rejected = 0;
    using protozero::pbf_wire_type;
    const auto field = [](PartialSuccess name, pbf_wire_type type) {
        return protozero::tag_and_type(static_cast<pbf_tag_type>(name), type);
    };
    try {
        protozero::pbf_reader answer(body.data(), body.size());
        while (answer.next(static_cast<pbf_tag_type>(Answer::partial_success),
                           pbf_wire_type::length_delimited)) {
            protozero::pbf_reader partial = answer.get_message();
            while (partial.next()) {
                // A reader asserts the type of what it gets.
                if (partial.tag_and_type() == field(PartialSuccess::rejected, pbf_wire_type::varint))
                    rejected = partial.get_int64();
                else if (partial.tag_and_type() ==
                         field(PartialSuccess::message, pbf_wire_type::length_delimited))
                    message = partial.get_string();
                else
                    partial.skip();
            }
        }
    } catch (const protozero::exception&) {
        return "";
    }
    if (rejected == 0) return "";
    return "the server rejected " + std::to_string(rejected) + " profiles: " + message;
}

}  // namespace op::fleet
