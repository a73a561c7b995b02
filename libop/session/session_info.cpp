// SPDX-License-Identifier: GPL-2.0-or-later
// The manifest to and from JSON.
// Strings in the manifest are bytes (paths are): see percent_escaped(). Format: doc/FORMATS.md, "Manifest".
#include "libop/session/session_info.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "libop/base/error.h"
#include "libop/base/json.h"
#include "libop/base/percent.h"
#include "libop/base/text.h"
#include "libop/session/event_label.h"

namespace op {

namespace {

constexpr uint64_t newest_format = 1;
/// Room for half a million images.
constexpr JsonLimits limits{.bytes = size_t{64} << 20, .values = size_t{4} << 20};

/// Far beyond those of any recording. Readers compare each event with every other one, and look kernel images
/// up one by one.
constexpr size_t most_events = 1000, most_kernel_images = 16384;
constexpr size_t most_stack_ends = 100;

// ---- reading members

/// A JSON object with the words to name it in a message.
class Object {
public:
    Object(const Json& value, std::string_view label, std::string where)
        : value_(value), label_(label), where_(std::move(where)) {
        if (!value.if_object()) fail("an object");
    }

    /// Reads member `key` into `out`, which keeps its value if there is no such member.
    template <class T>
    void read(const char* key, T& out) const {
        if (const Json* const value = value_.find(key)) convert(*value, member(key), out);
    }

    /// Calls take(Object) for every element of array `key`, of which there may be `most`.
    template <class Take>
    void each(const char* key, size_t most, Take take) const {
        const Json* const value = value_.find(key);
        if (!value) return;
        const Json::Array* const array = value->if_array();
        if (!array) fail("an array", member(key));
        if (array->size() > most) fail("an array of at most " + std::to_string(most), member(key));
        for (size_t i = 0; i < array->size(); ++i)
            take(Object((*array)[i], label_, member(key) + "[" + std::to_string(i) + "]"));
    }

    /// Calls take(name, Object) for every member of object `key`, if there is one; names are as in the file.
    template <class Take>
    void each_member(const char* key, Take take) const {
        const Json* const found = value_.find(key);
        if (!found) return;
        const Object object(*found, label_, member(key));
        for (const auto& [name, value] : *found->if_object())
            take(name, Object(value, label_, object.member(name)));
    }

    /// Calls take(name, number) for every member of object `key`, if there is one.
    template <class Take>
    void read_numbers(const char* key, Take take) const {
        if (const Json* const found = value_.find(key)) Object(*found, label_, member(key)).each_number(take);
    }

    /// Calls take(name, number) for every member of this object.
    template <class Take>
    void each_number(Take take) const {
        for (const auto& [name, value] : *value_.if_object()) {
            uint64_t number = 0;
            convert(value, member(name), number);
            take(name, number);
        }
    }

    std::string member(std::string_view key) const {
        return where_.empty() ? std::string(key) : where_ + "." + std::string(key);
    }
    [[noreturn]] void fail(const std::string& wanted) const { fail(wanted, where_); }

private:
    [[noreturn]] void fail(const std::string& wanted, const std::string& where) const {
        throw_input(std::string(label_) + ": " +
                    (where.empty() ? "the manifest" : "member '" + printable(where) + "'") + " is not " +
                    wanted);
    }

    void convert(const Json& value, const std::string& where, std::string& out) const {
        const std::string* const text = value.if_string();
        if (!text) fail("a string", where);
        out = percent_unescaped(*text);
    }
    void convert(const Json& value, const std::string& where, bool& out) const {
        const bool* const flag = value.if_bool();
        if (!flag) fail("true or false", where);
        out = *flag;
    }
    void convert(const Json& value, const std::string& where, double& out) const {
        const auto number = value.number();
        if (!number) fail("a number", where);
        out = *number;
    }
    void convert(const Json& value, const std::string& where, uint64_t& out) const {
        const auto number = value.unsigned_number();
        if (!number) fail("an unsigned number below 2^64", where);
        out = *number;
    }
    void convert(const Json& value, const std::string& where, uint32_t& out) const {
        uint64_t wide = 0;
        convert(value, where, wide);
        if (wide > std::numeric_limits<uint32_t>::max()) fail("an unsigned number below 2^32", where);
        out = static_cast<uint32_t>(wide);
    }

    const Json& value_;
    std::string_view label_;
    std::string where_;
};

// ---- the parts of a manifest: `fields` lists each once, for both directions

/// Writes members; the counterpart of Object for `fields`.
class Writer {
public:
    explicit Writer(Json& out) : out_(out) {}
    void operator()(const char* key, const std::string& value) { out_.add(key, percent_escaped(value)); }
    void operator()(const char* key, double value) { out_.add(key, std::isfinite(value) ? value : 0.0); }
    template <class T>
    requires std::is_integral_v<T>
    void operator()(const char* key, T value) { out_.add(key, value); }

private:
    Json& out_;
};

template <class Visit, class Event>
void event_fields(Visit&& visit, Event& event) {
    visit("name", event.name);
    visit("code", event.code);
    visit("count", event.count);
    visit("unit_mask", event.unit_mask);
    visit("kernel", event.kernel);
    visit("user", event.user);
    visit("throttled", event.throttled);
    visit("unit_mask_name", event.unit_mask_name);
    visit("enabled_ns", event.time.enabled);
    visit("running_ns", event.time.running);
}

template <class Visit, class Image>
void image_fields(Visit&& visit, Image& image) {
    visit("build_id", image.build_id);
    visit("mtime", image.mtime);
    visit("deleted", image.deleted);
    visit("several_builds", image.several_builds);
    visit("elsewhere", image.elsewhere);
    visit("path", image.path);
    visit("root", image.root);
    visit("size", image.size);
    visit("checksum", image.checksum);
}

template <class Visit, class Image>
void kernel_image_fields(Visit&& visit, Image& image) {
    visit("name", image.name);
    visit("start", image.start);
    visit("length", image.length);
    visit("build_id", image.build_id);
}

template <class Visit, class Info>
void plain_fields(Visit&& visit, Info& info) {
    visit("session_id", info.session_id);
    visit("tool", info.tool);
    visit("command", info.command);
    visit("host", info.host);
    visit("kernel_release", info.kernel_release);
    visit("machine", info.machine);
    visit("cpu_type", info.cpu_type);
    visit("cpu_type_name", info.cpu_type_name);
    visit("cpu_model", info.cpu_model);
    visit("cpu_speed_mhz", info.cpu_speed_mhz);
    visit("start_time", info.start_time);
    visit("stop_time", info.stop_time);
    visit("unfinished", info.unfinished);
    visit("arcs_stored", info.arcs_stored);
    visit("arcs_lost", info.arcs_lost);
    visit("side_band_lost", info.side_band_lost);
    visit("unsure_samples", info.unsure_samples);
    visit("mappings_left_out", info.mappings_left_out);
    visit("missed_periods", info.missed_periods);
    visit("clock_set_forward", info.clock_set_forward);
    visit("clock_set_back", info.clock_set_back);
}

template <class Visit, class Row>
void dropped_fields(Visit&& visit, Row& row) {
    visit("session", row.session);
    visit("samples", row.samples);
    visit("start_time", row.start_time);
    visit("stop_time", row.stop_time);
}

template <class Visit, class Cpu>
void recorder_cpu_fields(Visit&& visit, Cpu& cpu) {
    visit("used_ns", cpu.used);
    visit("elapsed_ns", cpu.elapsed);
}

Json ledger_json(const Ledger& ledger) {
    Json lost = Json::object();
    for (const auto& [where, n] : ledger.losses())
        lost[loss_name(where.first)][std::to_string(where.second)] = n;
    return {{"sampled", ledger.sampled()}, {"stored", ledger.stored()}, {"lost", lost}};
}

Json stacks_json(const StackAccount& stacks) {
    Json incomplete = Json::object();
    for (const auto& [reason, samples] : stacks.incomplete)
        incomplete[percent_escaped(reason)] = samples;
    return {{"complete", stacks.complete},
            {"incomplete", incomplete},
            {"cut", stacks.cut},
            {"lost", stacks.lost}};
}

StackAccount read_stacks(const Object& object) {
    StackAccount stacks;
    object.read("complete", stacks.complete);
    object.read("cut", stacks.cut);
    object.read("lost", stacks.lost);
    object.read_numbers("incomplete", [&](const std::string& reason, uint64_t samples) {
        if (stacks.incomplete.size() < most_stack_ends)
            stacks.incomplete[percent_unescaped(reason)] = samples;
    });
    return stacks;
}

uint32_t cpu_number(const std::string& text, const Object& counts) {
    const auto cpu = parse_number(text);
    if (!cpu || *cpu > std::numeric_limits<uint32_t>::max()) counts.fail("an object of CPU numbers");
    return static_cast<uint32_t>(*cpu);
}

Ledger read_ledger(const Object& object) {
    uint64_t sampled = 0, stored = 0;
    object.read("sampled", sampled);
    object.read("stored", stored);
    Ledger ledger;
    ledger.add_sampled(sampled);
    ledger.add_stored(stored);
    object.each_member("lost", [&](const std::string& name, const Object& counts) {
        const auto cause = parse_loss_name(name);
        if (!cause) return;
        counts.each_number(
            [&](const std::string& cpu, uint64_t n) { ledger.add_lost(*cause, cpu_number(cpu, counts), n); });
    });
    return ledger;
}

void put_names(Json& out, const RecordedNames& names) {
    Json& commands = out["command_names"] = Json::array();
    for (const auto& [command, samples] : names.commands()) {
        Writer row(commands.add(Json::object()));
        row("application", command.first);
        row("name", command.second);
        row("samples", samples);
    }
    Json& threads = out["thread_names"] = Json::array();
    for (const auto& [thread, name] : names.threads()) {
        Writer row(threads.add(Json::object()));
        row("tgid", thread.first);
        row("tid", thread.second);
        row("name", name);
    }
    out.add("command_names_left_out", names.left_out_samples());
    out.add("thread_names_left_out", names.has_left_out_threads());
}

RecordedNames read_names(const Object& manifest) {
    RecordedNames names;
    manifest.each("command_names", limits.values, [&](const Object& object) {
        std::string application, name;
        uint64_t samples = 0;
        object.read("application", application);
        object.read("name", name);
        object.read("samples", samples);
        names.add_command(application, name, samples);
    });
    manifest.each("thread_names", limits.values, [&](const Object& object) {
        RecordedNames::Thread thread{};
        std::string name;
        object.read("tgid", thread.first);
        object.read("tid", thread.second);
        object.read("name", name);
        names.set_thread(thread, name);
    });
    uint64_t left_out_samples = 0;
    bool has_left_out_threads = false;
    manifest.read("command_names_left_out", left_out_samples);
    manifest.read("thread_names_left_out", has_left_out_threads);
    names.add_left_out_samples(left_out_samples);
    if (has_left_out_threads) names.set_left_out_threads();
    return names;
}

void put_dropped(Json& out, const DroppedSessions& dropped) {
    Json& rows = out["dropped_sessions"] = Json::array();
    for (const DroppedSession& row : dropped.rows())
        dropped_fields(Writer(rows.add(Json::object())), row);
}

/// Gives `fields` a visitor that reads members of `object`.
auto reader(const Object& object) {
    return [&object](const char* key, auto& out) { object.read(key, out); };
}

DroppedSessions read_dropped(const Object& manifest) {
    DroppedSessions dropped;
    manifest.each("dropped_sessions", DroppedSessions::most_rows + 1, [&](const Object& object) {
        DroppedSession row;
        dropped_fields(reader(object), row);
        dropped.add(row);
    });
    return dropped;
}

void merge_event(std::vector<RecordedEvent>& events, const RecordedEvent& newer) {
    const auto old = std::ranges::find_if(events, [&](const auto& e) { return is_same_event(e, newer); });
    if (old == events.end()) {
        events.push_back(newer);
        return;
    }
    RecordedEvent both = newer;
    both.throttled |= old->throttled;
    both.time += old->time;
    *old = both;
}

void merge_kernel_image(std::vector<RecordedKernelImage>& images, const RecordedKernelImage& newer) {
    const auto old = std::ranges::find(images, newer.name, &RecordedKernelImage::name);
    if (old == images.end())
        images.push_back(newer);
    else
        *old = newer;
}

/// What was elsewhere once and is here now, or the other way round, is one file by its build-id only.
void merge_image(RecordedImage& image, const RecordedImage& newer) {
    const bool has_moved =
        image.elsewhere != newer.elsewhere && (image.build_id.empty() || image.build_id != newer.build_id);
    const bool several =
        image.several_builds || newer.several_builds || image.is_other_build(newer) || has_moved;
    const RecordedImage before = std::exchange(image, newer);
    image.several_builds = several;
    if (!several && image.checksum == 0 && image.size == before.size) image.checksum = before.checksum;
}

/// A name is the path with a suffix, so that no manifest leads to files that sample file names do not.
bool is_name_of(std::string_view name, std::string_view path) {
    return !path.empty() && name.starts_with(path) && name.substr(path.size()).starts_with('@');
}

template <class T>
void replace_if_known(T& old, const T& newer) {
    if (newer != T{}) old = newer;
}

}  // namespace

std::string RecordedEvent::label() const {
    return event_label(name, count);
}

std::string RecordedEvent::spec() const {
    return label() + ":" + std::to_string(unit_mask) + (kernel ? ":1" : ":0") + (user ? ":1" : ":0");
}

bool is_same_event(const RecordedEvent& a, const RecordedEvent& b) {
    return a.name == b.name && a.count == b.count && a.unit_mask == b.unit_mask && a.kernel == b.kernel &&
           a.user == b.user;
}

std::string SessionInfo::build_id(const std::string& name) const {
    const auto kernel = std::ranges::find(kernel_images, name, &RecordedKernelImage::name);
    if (kernel != kernel_images.end()) return kernel->build_id;
    const auto file = images.find(name);
    return file == images.end() ? "" : file->second.build_id;
}

RecordedImage SessionInfo::recorded(const std::string& name, uint64_t sample_file_mtime) const {
    const auto file = images.find(name);
    RecordedImage image = file != images.end() ? file->second : RecordedImage{};
    image.build_id = build_id(name);
    if (image.mtime == 0) image.mtime = sample_file_mtime;
    return image;
}

bool SessionInfo::is_elsewhere(const std::string& name) const {
    const auto file = images.find(name);
    return file != images.end() && file->second.elsewhere;
}

const std::string& SessionInfo::path(const std::string& name) const {
    const auto file = images.find(name);
    return file == images.end() || file->second.path.empty() ? name : file->second.path;
}

void SessionInfo::merge(const SessionInfo& newer) {
    // A server may know an older session by its start.
    if (session_id.empty() && start_time == 0) session_id = newer.session_id;
    for (const auto field : {&SessionInfo::tool, &SessionInfo::command, &SessionInfo::host,
                             &SessionInfo::kernel_release, &SessionInfo::machine, &SessionInfo::cpu_model})
        replace_if_known(this->*field, newer.*field);
    if (!newer.cpu_type_name.empty()) {
        cpu_type = newer.cpu_type;
        cpu_type_name = newer.cpu_type_name;
    }
    replace_if_known(cpu_speed_mhz, newer.cpu_speed_mhz);
    if (start_time == 0 || (newer.start_time != 0 && newer.start_time < start_time))
        start_time = newer.start_time;
    stop_time = std::max(stop_time, newer.stop_time);
    unfinished = newer.unfinished;
    for (const RecordedEvent& event : newer.events)
        merge_event(events, event);
    for (const RecordedKernelImage& image : newer.kernel_images)
        merge_kernel_image(kernel_images, image);
    for (const auto& [path, image] : newer.images) {
        const auto [old, is_new] = images.try_emplace(path, image);
        if (!is_new) merge_image(old->second, image);
    }
    names.merge(newer.names);
    ledger.merge(newer.ledger);
    stacks.merge(newer.stacks);
    recorder_cpu += newer.recorder_cpu;
    arcs_stored = add_saturating(arcs_stored, newer.arcs_stored);
    arcs_lost = add_saturating(arcs_lost, newer.arcs_lost);
    side_band_lost = add_saturating(side_band_lost, newer.side_band_lost);
    unsure_samples = add_saturating(unsure_samples, newer.unsure_samples);
    mappings_left_out = add_saturating(mappings_left_out, newer.mappings_left_out);
    missed_periods = add_saturating(missed_periods, newer.missed_periods);
    clock_set_forward = newer.clock_set_forward;
    clock_set_back = newer.clock_set_back;
    dropped.merge(newer.dropped);
}

std::string to_json(const SessionInfo& info) {
    Json out = {{"format", newest_format}};
    plain_fields(Writer(out), info);
    Json& events = out["events"] = Json::array();
    for (const RecordedEvent& event : info.events)
        event_fields(Writer(events.add(Json::object())), event);
    Json& kernel_images = out["kernel_images"] = Json::array();
    for (const RecordedKernelImage& image : info.kernel_images)
        kernel_image_fields(Writer(kernel_images.add(Json::object())), image);
    Json& images = out["images"] = Json::object();
    for (const auto& [path, image] : info.images)
        image_fields(Writer(images.add(percent_escaped(path), Json::object())), image);
    put_names(out, info.names);
    if (!info.dropped.is_empty()) put_dropped(out, info.dropped);
    out["ledger"] = ledger_json(info.ledger);
    if (!info.stacks.is_empty()) out["stacks"] = stacks_json(info.stacks);
    if (info.recorder_cpu.is_measured())
        recorder_cpu_fields(Writer(out["recorder_cpu"] = Json::object()), info.recorder_cpu);
    return json_text(std::move(out), {.indent = 1, .sorts_members = true}) + "\n";
}

SessionInfo parse_session_info(std::string_view text, std::string_view label) {
    const Json parsed = parse_json(text, label, "manifest", limits);
    const Object manifest(parsed, label, "");
    uint64_t format = newest_format;
    manifest.read("format", format);
    if (format > newest_format)
        throw_input(std::string(label) + ": manifest of format " + std::to_string(format) +
                    ", which a newer oprofile-ng wrote; this one reads up to " +
                    std::to_string(newest_format));
    SessionInfo info;
    plain_fields(reader(manifest), info);
    manifest.each("events", most_events,
                  [&](const Object& object) { event_fields(reader(object), info.events.emplace_back()); });
    manifest.each("kernel_images", most_kernel_images, [&](const Object& object) {
        kernel_image_fields(reader(object), info.kernel_images.emplace_back());
    });
    manifest.each_member("images", [&](const std::string& path, const Object& object) {
        const std::string name = percent_unescaped(path);
        RecordedImage& image = info.images[name];
        image_fields(reader(object), image);
        if (!is_name_of(name, image.path)) image.path.clear();
    });
    info.names = read_names(manifest);
    info.dropped = read_dropped(manifest);
    if (const Json* const ledger = parsed.find("ledger"))
        info.ledger = read_ledger(Object(*ledger, label, "ledger"));
    if (const Json* const stacks = parsed.find("stacks"))
        info.stacks = read_stacks(Object(*stacks, label, "stacks"));
    if (const Json* const used = parsed.find("recorder_cpu")) {
        const Object object(*used, label, "recorder_cpu");
        recorder_cpu_fields(reader(object), info.recorder_cpu);
    }
    return info;
}

}  // namespace op
