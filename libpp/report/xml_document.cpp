// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of XML reports.
#include "libpp/report/xml_document.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "libop/base/text.h"
#include "libop/session/ledger.h"

namespace op::pp {

namespace {

/// The version of the structure, not of the program.
constexpr std::string_view schema_version = "3.1";

std::string id_text(const std::optional<uint32_t>& id) {
    return id ? std::to_string(*id) : "all";
}

std::string class_name(size_t index) {
    return "c" + std::to_string(index);
}

/// Two decimals; a speed that is no number is unknown, 0.
std::string mhz_text(double mhz) {
    char text[512];
    std::snprintf(text, sizeof text, "%.2f", std::isfinite(mhz) && mhz > 0 ? mhz : 0);
    return text;
}

/// The place of a value in the list; it is added if it is not there.
template <class T>
size_t index_in(std::vector<T>& values, const T& value) {
    const auto at = std::ranges::find(values, value);
    const auto index = static_cast<size_t>(at - values.begin());
    if (at == values.end()) values.push_back(value);
    return index;
}

}  // namespace

bool has_samples(const uint64_t* counts, const View& view) {
    return std::ranges::any_of(view, [&](size_t column) { return counts[column] != 0; });
}

XmlColumns::XmlColumns(const ReportHead& head) : head_(head) {
    for (size_t i = 0; i < head.columns.size(); ++i)
        add(i);
    has_classes_ = cpus_.size() > 1 || events_.size() > 1 || has_unit_mask_;
}

void XmlColumns::add(size_t index) {
    const ProfileClass& column = head_.columns[index];
    const size_t event = index_in(events_, Event{column.event, column.count, column.unit_mask});
    index_in(cpus_, column.cpu);
    class_of_.push_back(index_in(classes_, Class{column.cpu, event}));
    has_unit_mask_ |= column.unit_mask != 0;
    has_threads_ |= column.tgid || column.tid;
    all_.push_back(index);
    Process& process = processes_[column.tgid];
    process.columns.push_back(index);
    process.threads[column.tid].push_back(index);
}

size_t XmlColumns::separated_cpus() const {
    return static_cast<size_t>(
        std::ranges::count_if(cpus_, [](const std::optional<uint32_t>& cpu) { return cpu.has_value(); }));
}

std::string XmlColumns::setup_element() const {
    if (head_.is_timer && events_.size() == 1)
        return XmlTag("setup").around(
            XmlTag("timersetup").attribute("rtcinterrupts", std::get<1>(events_[0])).empty() + remarks());
    std::string text;
    for (size_t i = 0; i < events_.size(); ++i) {
        const auto& [name, count, unit_mask] = events_[i];
        text += XmlTag("eventsetup")
                    .attribute("id", i)
                    .attribute("eventname", name)
                    .attribute("unitmask", unit_mask)
                    .attribute("setupcount", count)
                    .empty();
    }
    return XmlTag("setup").around(text + remarks());
}

std::string XmlColumns::remarks() const {
    std::string text;
    for (const std::string& remark : head_.remarks)
        text += XmlTag("remark").attribute("text", remark).empty();
    return text;
}

std::string XmlColumns::classes_element() const {
    if (!has_classes_) return "";
    std::string text;
    for (size_t i = 0; i < classes_.size(); ++i) {
        const auto& [cpu, event] = classes_[i];
        XmlTag tag("class");
        tag.attribute("name", class_name(i));
        if (cpus_.size() > 1) tag.attribute("cpu", id_text(cpu));
        if (events_.size() > 1) tag.attribute("event", event);
        if (has_unit_mask_) tag.attribute("mask", std::get<2>(events_[event]));
        text += tag.empty();
    }
    return XmlTag("classes").around(text);
}

std::string XmlColumns::counts(const uint64_t* counts, const View& view, bool is_class_given) const {
    std::vector<uint64_t> sums(classes_.size());
    for (const size_t column : view)
        sums[class_of_[column]] = add_saturating(sums[class_of_[column]], counts[column]);
    std::string text;
    for (size_t i = 0; i < sums.size(); ++i) {
        if (sums[i] == 0) continue;
        XmlTag tag("count");
        if (has_classes_ || is_class_given) tag.attribute("class", has_classes_ ? class_name(i) : "");
        text += tag.around(std::to_string(sums[i]) + "\n");
    }
    return text;
}

std::string XmlDocument::text(std::string_view content) const {
    XmlTag profile("profile");
    profile.attribute("schemaversion", schema_version);
    const std::string name = head_.cpu_type.empty() ? "unknown" : head_.cpu_type;
    const auto halves = split(name, '/');
    profile.attribute("cputype", halves[0]);
    if (halves.size() > 1) profile.attribute("processor", halves[1]);
    if (const size_t cpus = columns_.separated_cpus()) profile.attribute("separatedcpus", cpus);
    profile.attribute("mhz", mhz_text(head_.cpu_speed_mhz)).attribute("title", head_.request.command + " ");
    std::string text = options_element() + columns_.setup_element() + "\n" + columns_.classes_element();
    text += content;
    return "<?xml version=\"1.0\" ?>\n" + profile.around(text);
}

std::string XmlDocument::options_element() const {
    const ReportRequest& request = head_.request;
    return XmlTag("options")
        .list("session", request.sessions)
        .flag("debuginfo", request.debug_info)
        .flag("details", request.details)
        .list("imagepath", request.image_paths)
        .list("merge", request.merge)
        .flag("excludedependent", request.exclude_dependent)
        .list("excludesymbols", request.exclude_symbols)
        .list("includesymbols", request.include_symbols)
        .empty();
}

std::string XmlDocument::application(const std::string& name, const AppCounts& counts,
                                     const std::function<std::string(const View&)>& interior) const {
    if (!columns_.has_threads())
        return XmlTag("binary")
            .attribute("name", name)
            .around(columns_.counts(counts.own.data(), columns_.all()) + interior(columns_.all()));
    std::string text;
    for (const auto& [tgid, process] : columns_.processes()) {
        const std::string threads = thread_elements(process, counts, interior);
        if (!threads.empty())
            text += XmlTag("process")
                        .attribute("pid", id_text(tgid))
                        .attribute("name", name)
                        .around(columns_.counts(counts.total.data(), process.columns) + threads);
    }
    return text;
}

std::string XmlDocument::thread_elements(const XmlColumns::Process& process, const AppCounts& counts,
                                         const std::function<std::string(const View&)>& interior) const {
    std::string text;
    for (const auto& [tid, columns] : process.threads) {
        const std::string content = columns_.counts(counts.total.data(), columns) + interior(columns);
        if (!content.empty()) text += XmlTag("thread").attribute("tid", id_text(tid)).around(content);
    }
    return text;
}

}  // namespace op::pp
