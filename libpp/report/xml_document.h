// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of XML reports: the spread of columns over classes, processes and threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "libop/base/xml_tag.h"
#include "libpp/report/report.h"

namespace op::pp {

/// Some columns of a report, by index.
using View = std::vector<size_t>;

/// True if some column of the view has a count.
bool has_samples(const uint64_t* counts, const View& view);

/// The spread of a report's columns over threads and classes. The columns of a thread differ in event and
/// CPU; a class is one combination of these. Valid as long as the head.
class XmlColumns {
public:
    explicit XmlColumns(const ReportHead& head);

    /// The columns of each thread of each process.
    struct Process {
        View columns;
        std::map<std::optional<uint32_t>, View> threads;
    };

    const View& all() const noexcept { return all_; }
    bool has_threads() const noexcept { return has_threads_; }
    const std::map<std::optional<uint32_t>, Process>& processes() const noexcept { return processes_; }
    /// The number of CPUs that have separate counts; 0 if counts are not separated by CPU.
    size_t separated_cpus() const;

    std::string setup_element() const;
    /// Empty for a single class without a unit mask.
    std::string classes_element() const;
    /// A count element for each class that has samples in these columns. Without classes the element has no
    /// class attribute, or with `is_class_given` an empty one.
    std::string counts(const uint64_t* counts, const View& view, bool is_class_given = false) const;

private:
    using Event = std::tuple<std::string, uint64_t, uint64_t>;  ///< name, count, unit mask
    using Class = std::pair<std::optional<uint32_t>, size_t>;   ///< CPU, index of the event

    void add(size_t index);
    std::string remarks() const;

    const ReportHead& head_;
    std::vector<Event> events_;
    std::vector<std::optional<uint32_t>> cpus_;
    std::vector<Class> classes_;
    std::vector<size_t> class_of_;  ///< per column
    View all_;
    std::map<std::optional<uint32_t>, Process> processes_;
    bool has_classes_ = false, has_unit_mask_ = false, has_threads_ = false;
};

/// The common part of all kinds of reports. Valid as long as the head.
class XmlDocument {
public:
    explicit XmlDocument(const ReportHead& head) : head_(head), columns_(head) {}

    const XmlColumns& columns() const noexcept { return columns_; }
    /// The whole document; `content` follows the description of the profile.
    std::string text(std::string_view content) const;
    /// The counts of an application, one per column each.
    struct AppCounts {
        std::vector<uint64_t> own;    ///< in its own image
        std::vector<uint64_t> total;  ///< in all images
    };
    /// An application: a binary with what is in its own image, or its processes and their threads with their
    /// totals. `interior` writes what is in it, besides its counts, as far as it has samples in a view.
    std::string application(const std::string& name, const AppCounts& counts,
                            const std::function<std::string(const View&)>& interior) const;

private:
    std::string options_element() const;
    std::string thread_elements(const XmlColumns::Process& process, const AppCounts& counts,
                                const std::function<std::string(const View&)>& interior) const;

    const ReportHead& head_;
    XmlColumns columns_;
};

}  // namespace op::pp
