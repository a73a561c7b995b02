// SPDX-License-Identifier: GPL-2.0-or-later
// A profile as pprof reads it: proto/profile.proto of github.com/google/pprof, whose field numbers these are,
// gzip-compressed. The one door to protozero, which encodes protocol buffers.
#include <algorithm>
#include <limits>
#include <map>
#include <protozero/pbf_builder.hpp>
#include <tuple>

#include "libop/base/gzip.h"
#include "libop/base/intern.h"
#include "libop/base/text.h"
#include "libop/events/event_table.h"
#include "libop/session/event_label.h"
#include "libop/session/ledger.h"
#include "libop/stream/record.h"
#include "libpp/export/call_stacks.h"
#include "libpp/export/exporter.h"

namespace op::pp {

namespace {

using protozero::pbf_builder;
using protozero::pbf_tag_type;

enum class ProfileField : pbf_tag_type {
    sample_type = 1,
    sample = 2,
    mapping = 3,
    location = 4,
    function = 5,
    string_table = 6,
    time_nanos = 9,
    duration_nanos = 10,
    period_type = 11,
    period = 12,
    comment = 13,
    default_sample_type = 14,
};
enum class ValueTypeField : pbf_tag_type { type = 1, unit = 2 };
enum class SampleField : pbf_tag_type { location_id = 1, value = 2, label = 3 };
enum class LabelField : pbf_tag_type { key = 1, str = 2, num = 3, num_unit = 4 };
enum class MappingField : pbf_tag_type {
    id = 1,
    memory_start = 2,
    memory_limit = 3,
    file_offset = 4,
    filename = 5,
    build_id = 6,
    has_functions = 7,
    has_filenames = 8,
    has_line_numbers = 9,
    has_inline_frames = 10,
};
enum class LocationField : pbf_tag_type { id = 1, mapping_id = 2, address = 3, line = 4 };
enum class LineField : pbf_tag_type { function_id = 1, line = 2 };
enum class FunctionField : pbf_tag_type { id = 1, name = 2, system_name = 3, filename = 4, start_line = 5 };

constexpr uint64_t page = 4096;
constexpr uint64_t second = 1'000'000'000;  // ns

/// Numbers are signed in this format.
int64_t to_signed(uint64_t n) {
    return static_cast<int64_t>(std::min<uint64_t>(n, std::numeric_limits<int64_t>::max()));
}

/// The text as readers of the format may expect it: UTF-8, U+FFFD where it is not, no control characters.
std::string utf8(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const size_t length = utf8_length(text);
        result += length ? text.substr(0, length) : std::string_view("\xef\xbf\xbd");
        text.remove_prefix(std::max<size_t>(length, 1));
    }
    return printable(result);
}

/// The key of a mapping: an image whose segments have different distances between address and file offset has
/// several mappings.
struct MappingKey {
    uint32_t image;
    uint64_t distance;  ///< linked address - image offset, modulo 2^64

    auto operator<=>(const MappingKey&) const = default;
};

/// The used part of a mapping.
struct Extent {
    uint64_t id;
    uint64_t first, last;  ///< image offsets
    bool has_lines = false;
};

/// A function in a file; names are indexes of strings.
struct FunctionKey {
    int64_t name, system_name, file;
    uint32_t start_line;  ///< 0 = unknown

    auto operator<=>(const FunctionKey&) const = default;
};

/// The common values of all locations of a symbol; names are indexes of strings.
struct OwnName {
    int64_t name, system_name;
    SourceLine start;  ///< empty = unknown
};

/// A function at an instruction.
struct Line {
    uint64_t function;
    uint32_t line;  ///< 0 = unknown
};

/// The values that distinguish the samples of one stack.
struct Labels {
    uint32_t app;
    std::optional<uint32_t> tgid, tid, cpu;

    auto operator<=>(const Labels&) const = default;
};

class PprofWriter {
public:
    PprofWriter(const Profile& profile, const ExportContext& context)
        : profile_(profile), context_(context) {}

    std::string write() && {
        put_types();
        put_samples();
        put_mappings();
        put_origin();
        for (uint32_t i = 0; i < strings_.size(); ++i)
            out_.add_string(ProfileField::string_table, std::string(strings_.text(StringId{i})));
        return gzip(bytes_);
    }

private:
    /// The index of a text in the table of strings.
    int64_t string(std::string_view text) {
        const auto raw = static_cast<uint32_t>(raw_strings_.intern(text));
        if (raw == indexes_.size()) indexes_.push_back(static_cast<uint32_t>(strings_.intern(utf8(text))));
        return indexes_[raw];
    }

    // Types

    /// The values of an event: samples, and nanoseconds if it is a clock.
    struct EventValues {
        std::string name;
        uint64_t nanoseconds;  ///< of a sample; 0 = the event is no clock
        size_t samples = 0;    ///< places among the values; that of the nanoseconds is the next one
    };

    /// Columns that differ in process, thread or CPU share an event's values. Of one event these are named as
    /// Go's runtime names them (runtime/pprof): "samples" and, which readers show first, "cpu".
    void put_types() {
        const auto names = event_names(profile_.columns);
        for (size_t column = 0; column < names.size(); ++column) {
            const auto at = std::ranges::find(events_, names[column], &EventValues::name);
            event_of_column_.push_back(static_cast<size_t>(at - events_.begin()));
            const ProfileClass& shown = profile_.columns[column];
            if (at == events_.end())
                events_.push_back({names[column], sample_time(shown.event, shown.count)});
        }
        const bool is_one = events_.size() == 1;
        for (EventValues& event : events_) {
            event.samples = types_++;
            put_value_type(ProfileField::sample_type, is_one ? "samples" : event.name, "count");
            if (event.nanoseconds == 0) continue;
            ++types_;
            put_value_type(ProfileField::sample_type, is_one ? "cpu" : event.name + " time", "nanoseconds");
        }
        const bool has_time = is_one && events_.front().nanoseconds > 0;
        out_.add_int64(ProfileField::default_sample_type, string(has_time ? "cpu"
                                                                 : is_one ? "samples"
                                                                          : events_.front().name));
        const ProfileClass& first = profile_.columns.front();
        put_value_type(ProfileField::period_type, has_time ? "cpu" : first.event,
                       is_clock(first.event) ? "nanoseconds" : "count");
        out_.add_int64(ProfileField::period, to_signed(first.count));
    }

    void put_value_type(ProfileField field, std::string_view type, std::string_view unit) {
        pbf_builder<ValueTypeField> message(out_, field);
        message.add_int64(ValueTypeField::type, string(type));
        message.add_int64(ValueTypeField::unit, string(unit));
    }

    // Samples

    void put_samples() {
        if (!profile_.stacks.is_empty()) return put_stacks();
        const CallStacks stacks(profile_);
        for (size_t i = 0; i < profile_.samples.size(); ++i)
            for (const CallStack& stack : stacks.of(i))
                put_stack(profile_.samples[i].app, stack);
    }

    void put_stack(uint32_t app, const CallStack& stack) {
        Rows rows;
        for (uint32_t column = 0; column < stack.counts.size(); ++column)
            add_count(rows, app, column, stack.counts[column]);
        std::vector<uint64_t> locations;
        for (const uint32_t frame : stack.frames)
            locations.push_back(
                location(frame, locations.empty() ? CodeAddress::instruction : CodeAddress::return_address));
        put_rows(locations, rows, StackEnd::root);
    }

    /// Writes the samples of whole stacks.
    void put_stacks() {
        const StackTree& tree = profile_.stacks;
        const std::vector<uint32_t> apps = stack_applications(profile_);
        const std::vector<uint8_t> ends = stack_ends(tree);
        for (size_t i = 0; i < tree.counts.size();) {
            const uint32_t last = tree.counts[i].node;
            Rows rows;
            for (; i < tree.counts.size() && tree.counts[i].node == last; ++i)
                add_count(rows, apps[last], tree.counts[i].column, tree.counts[i].count);
            std::vector<uint64_t> locations;
            for (uint32_t node = last; tree.nodes[node].is_code(); node = tree.nodes[node].parent)
                locations.push_back(location(tree.nodes[node].location, address_kind(tree.nodes[node])));
            put_rows(locations, rows, static_cast<StackEnd>(ends[last]));
        }
    }

    /// Samples of one stack by process, thread and CPU, as far as the profile separates these; a value a
    /// type.
    using Rows = std::map<Labels, std::vector<int64_t>>;

    void add_count(Rows& rows, uint32_t app, uint32_t column, uint64_t count) const {
        if (count == 0) return;
        const ProfileClass& shown = profile_.columns[column];
        auto& values = rows[{app, shown.tgid, shown.tid, shown.cpu}];
        values.resize(types_);
        const EventValues& event = events_[event_of_column_[column]];
        const uint64_t sum = add_saturating(static_cast<uint64_t>(values[event.samples]), count);
        values[event.samples] = to_signed(sum);
        if (event.nanoseconds > 0)
            values[event.samples + 1] = to_signed(saturating_product(sum, event.nanoseconds));
    }

    void put_rows(const std::vector<uint64_t>& locations, const Rows& rows, StackEnd end) {
        for (const auto& [labels, values] : rows)
            put_sample(locations, labels, values, end);
    }

    void put_sample(const std::vector<uint64_t>& locations, const Labels& labels,
                    const std::vector<int64_t>& values, StackEnd end) {
        pbf_builder<SampleField> message(out_, ProfileField::sample);
        message.add_packed_uint64(SampleField::location_id, locations.begin(), locations.end());
        message.add_packed_int64(SampleField::value, values.begin(), values.end());
        if (labels.app != no_application)
            put_text_label(message, "app", profile_.images[labels.app].name.display());
        if (end != StackEnd::root) put_text_label(message, "truncated", cut_name(static_cast<uint32_t>(end)));
        put_label(message, "pid", labels.tgid);
        put_label(message, "tid", labels.tid);
        put_label(message, "cpu", labels.cpu);
    }

    void put_text_label(pbf_builder<SampleField>& sample, std::string_view key, std::string_view text) {
        pbf_builder<LabelField> label(sample, SampleField::label);
        label.add_int64(LabelField::key, string(key));
        label.add_int64(LabelField::str, string(text));
    }

    void put_label(pbf_builder<SampleField>& sample, std::string_view key,
                   const std::optional<uint32_t>& value) {
        if (!value) return;
        pbf_builder<LabelField> label(sample, SampleField::label);
        label.add_int64(LabelField::key, string(key));
        label.add_int64(LabelField::num, *value);
        label.add_int64(LabelField::num_unit, string("id"));  // a 0 without a unit reads as no label at all
    }

    // Locations

    /// The id of a location; of a caller its return address is given, and the call before it meant.
    uint64_t location(uint32_t index, CodeAddress kind) {
        const auto [at, is_new] = locations_.try_emplace({index, kind}, locations_.size() + 1);
        if (is_new) put_location(at->second, profile_.locations[index], kind);
        return at->second;
    }

    void put_location(uint64_t id, const Location& location, CodeAddress kind) {
        const ImageOffset at = code_byte(location.offset, kind);
        const uint64_t address = symbols(location).link_address(at).value();
        const std::vector<Line> lines = lines_at(location, at);
        const bool has_line = !lines.empty() && lines.front().line > 0;
        const uint64_t mapping =
            widen({location.image, symbols(location).displacement(at)}, at.value(), has_line);
        pbf_builder<LocationField> message(out_, ProfileField::location);
        message.add_uint64(LocationField::id, id);
        message.add_uint64(LocationField::mapping_id, mapping);
        message.add_uint64(LocationField::address, address);
        for (const Line& line : lines) {
            pbf_builder<LineField> entry(message, LocationField::line);
            entry.add_uint64(LineField::function_id, line.function);
            entry.add_int64(LineField::line, line.line);
        }
    }

    /// The id of the mapping, which from now on has that offset in it.
    uint64_t widen(const MappingKey& key, uint64_t offset, bool has_line) {
        const auto [at, is_new] =
            mappings_.try_emplace(key, Extent{.id = mappings_.size() + 1, .first = offset, .last = offset});
        Extent& extent = at->second;
        extent.first = std::min(extent.first, offset);
        extent.last = std::max(extent.last, offset);
        extent.has_lines |= has_line;
        return extent.id;
    }

    // Functions

    ImageSymbols& symbols(const Location& location) const { return *profile_.images[location.image].symbols; }

    /// The functions at an instruction of a location's symbol, the innermost inlined one first; none if it
    /// has no symbol.
    std::vector<Line> lines_at(const Location& location, ImageOffset at) {
        if (location.symbol == Location::no_symbol) return {};
        std::vector<InlineFrame> frames = symbols(location).frames(at);
        if (frames.empty()) {
            const std::optional<SourceLine> line = symbols(location).line(at);
            frames.push_back(line ? InlineFrame{{}, line->file, line->line} : InlineFrame{});
        }
        std::vector<Line> lines;
        for (size_t i = 0; i + 1 < frames.size(); ++i)
            if (!frames[i].function.empty()) lines.push_back({inlined(frames[i]), frames[i].line});
        lines.push_back({function_of(location, frames.back().file), frames.back().line});
        return lines;
    }

    uint64_t inlined(const InlineFrame& frame) {
        const auto [at, is_new] = inlined_names_.try_emplace(frame.function);
        if (is_new) at->second = string(demangle(frame.function, context_.demangle));
        return function({at->second, string(frame.function), string(frame.file), 0});
    }

    /// The function that a location's symbol is; `file` is that of the instruction.
    uint64_t function_of(const Location& location, std::string_view file) {
        const auto [at, is_new] = own_names_.try_emplace(location.symbol);
        OwnName& own = at->second;
        if (is_new) {
            const ImageSymbol& symbol = *profile_.symbols[location.symbol].symbol;
            own = {string(symbols(location).name(symbol, context_.demangle)), string(symbol.name),
                   symbols(location).line_of(symbol).value_or(SourceLine{})};
        }
        if (file.empty()) file = own.start.file;
        return function(
            {own.name, own.system_name, string(file), own.start.file == file ? own.start.line : 0});
    }

    uint64_t function(const FunctionKey& key) {
        const auto [at, is_new] = functions_.try_emplace(key, functions_.size() + 1);
        if (!is_new) return at->second;
        pbf_builder<FunctionField> message(out_, ProfileField::function);
        message.add_uint64(FunctionField::id, at->second);
        message.add_int64(FunctionField::name, key.name);
        message.add_int64(FunctionField::system_name, key.system_name);
        message.add_int64(FunctionField::filename, key.file);
        message.add_int64(FunctionField::start_line, key.start_line);
        return at->second;
    }

    // Mappings

    /// The first is the program's, for clients take it for that: the application with the most samples. It is
    /// there even if all samples are in libraries and the kernel.
    void put_mappings() {
        const uint32_t main = main_image();
        std::vector<std::pair<MappingKey, Extent>> rows(mappings_.begin(), mappings_.end());
        std::ranges::sort(rows, {},
                          [&](const auto& row) { return std::pair(row.first.image != main, row.second.id); });
        if (!rows.empty() && rows.front().first.image != main) put_unused_mapping(main);
        for (const auto& [key, extent] : rows)
            put_mapping(key, extent);
    }

    /// Samples of the kernel by itself make it no program, if there is any.
    uint32_t main_image() const {
        std::map<uint32_t, uint64_t> samples;
        for (size_t i = 0; i < profile_.samples.size(); ++i)
            for (size_t column = 0; column < profile_.columns.size(); ++column) {
                uint64_t& sum = samples[profile_.samples[i].app];
                sum = add_saturating(sum, profile_.count(i, column));
            }
        const auto rank = [this](const auto& row) {
            return std::pair(!is_kernel(profile_.images[row.first].name), row.second);
        };
        const auto most = std::ranges::max_element(samples, {}, rank);
        return most == samples.end() ? 0 : most->first;
    }

    bool is_kernel(const ImageName& image) const {
        if (image.kind == ImageName::Kind::kernel || image.name == kallsyms_image) return true;
        return context_.info &&
               std::ranges::find(context_.info->kernel_images, image.name, &RecordedKernelImage::name) !=
                   context_.info->kernel_images.end();
    }

    void put_unused_mapping(uint32_t index) {
        const ImageName& image = profile_.images[index].name;
        pbf_builder<MappingField> message(out_, ProfileField::mapping);
        message.add_uint64(MappingField::id, mappings_.size() + 1);
        message.add_int64(MappingField::filename, string(image.display()));
        message.add_int64(MappingField::build_id, string(build_id(image)));
        message.add_bool(MappingField::has_functions, true);
    }

    /// Writes the mapping at its linked address, so that clients that read the image need no load address. If
    /// there are symbols, they are complete, and the mapping is marked so that clients look for no more; so
    /// it is if they would find another file at that path, as they do not compare build-ids.
    void put_mapping(const MappingKey& key, const Extent& extent) {
        const ProfileImage& image = profile_.images[key.image];
        const uint64_t first = extent.first / page * page, past = extent.last | (page - 1);
        pbf_builder<MappingField> message(out_, ProfileField::mapping);
        message.add_uint64(MappingField::id, extent.id);
        message.add_uint64(MappingField::memory_start, first + key.distance);
        message.add_uint64(MappingField::memory_limit, past + key.distance + 1);
        message.add_uint64(MappingField::file_offset, first);
        message.add_int64(MappingField::filename, string(image.name.display()));
        message.add_int64(MappingField::build_id, string(build_id(image.name)));
        const bool is_known = image.symbols->has_symbols();
        message.add_bool(MappingField::has_functions, is_known || image.is_replaced);
        message.add_bool(MappingField::has_filenames, is_known);
        message.add_bool(MappingField::has_line_numbers, is_known);
        message.add_bool(MappingField::has_inline_frames, is_known && extent.has_lines);
    }

    std::string build_id(const ImageName& image) const {
        if (!context_.info || image.kind == ImageName::Kind::anon) return "";
        return context_.info->build_id(image.name);
    }

    // Origin

    void put_origin() {
        for (size_t column = 0; column < profile_.columns.size(); ++column)
            put_event_comment(column);
        for (const std::string& remark : context_.remarks)
            put_comment("note: " + remark);
        const SessionInfo* const info = context_.info;
        if (!info) return;
        if (!info->command.empty()) put_comment("command: " + info->command);
        if (info->start_time == 0) return;
        out_.add_int64(ProfileField::time_nanos, nanoseconds(info->start_time));
        if (info->stop_time > info->start_time)
            out_.add_int64(ProfileField::duration_nanos, nanoseconds(info->stop_time - info->start_time));
    }

    static int64_t nanoseconds(uint64_t seconds) { return to_signed(saturating_product(seconds, second)); }
    static uint64_t saturating_product(uint64_t a, uint64_t b) {
        return a > std::numeric_limits<uint64_t>::max() / b ? std::numeric_limits<uint64_t>::max() : a * b;
    }

    /// Writes a comment on each event, once per event: its count and unit mask.
    void put_event_comment(size_t column) {
        const auto first = std::ranges::find(event_of_column_, event_of_column_[column]);
        if (first - event_of_column_.begin() != static_cast<ptrdiff_t>(column)) return;
        const ProfileClass& event = profile_.columns[column];
        put_comment("event: " + event_label(event.event, event.count, event.unit_mask));
    }

    void put_comment(const std::string& text) { out_.add_int64(ProfileField::comment, string(text)); }

    const Profile& profile_;
    const ExportContext& context_;
    std::string bytes_;
    pbf_builder<ProfileField> out_{bytes_};
    StringTable strings_;               ///< the file's
    StringTable raw_strings_;           ///< as they were given, numbered without a gap
    std::vector<uint32_t> indexes_{0};  ///< in strings_, of each of these
    std::vector<EventValues> events_;
    std::vector<size_t> event_of_column_;
    size_t types_ = 0;
    std::map<std::pair<uint32_t, CodeAddress>, uint64_t> locations_;
    std::map<MappingKey, Extent> mappings_;
    std::map<FunctionKey, uint64_t> functions_;
    std::map<uint32_t, OwnName> own_names_;              ///< by index into Profile::symbols
    std::map<std::string_view, int64_t> inlined_names_;  ///< by linkage name
};

}  // namespace

std::string export_pprof(const Profile& profile, const ExportContext& context) {
    return PprofWriter(profile, context).write();
}

}  // namespace op::pp
