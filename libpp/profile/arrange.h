// SPDX-License-Identifier: GPL-2.0-or-later
// From selected files to columns: sums files, names the differences between columns, and lists the files of
// each image (so that each image is opened once).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libop/session/sample_path.h"
#include "libpp/profile/select.h"

namespace op::pp {

/// The values whose samples are summed instead of separated.
struct Merge {
    bool cpu = false, tid = false, tgid = false, unit_mask = false;
    bool library = false;  ///< samples of an image are summed over all applications
};

/// Parses the values of --merge; "tgid", also called "pid", implies tid; "all" means everything. Throws a
/// usage error for an unknown value, which "build" is unless `may_be_build`. It merges no samples: who makes
/// rows joins them.
Merge parse_merge(std::span<const std::string> values, bool may_be_build = false);

/// The difference between columns.
enum class Axis : uint8_t { event, tgid, tid, cpu, several };

/// One column of a report.
struct ProfileClass {
    std::string event;
    uint64_t count = 0;
    uint64_t unit_mask = 0;                  ///< the OR of those merged
    std::optional<uint32_t> tgid, tid, cpu;  ///< none = all
    std::string thread_name = {};            ///< of that thread or process; empty = not known

    /// Column head: "EVENT:COUNT", "tgid:N", "tid:N" or "cpu:N"; with several axes the first of these.
    std::string short_name(Axis axis) const;
    bool operator==(const ProfileClass&) const = default;
};

/// A file and the column it counts in.
struct ClassFile {
    size_t file;      ///< index into the selected files
    uint32_t column;  ///< index into the classes
};

/// One application's samples in one image.
struct ImagePart {
    ImageName app;  ///< the image itself if libraries are merged
    std::vector<ClassFile> files;
};

/// An image with all its samples.
struct ImageFiles {
    ImageName image;
    std::vector<ImagePart> parts;  ///< sorted by app
};

/// The arcs of calls from one image into one, of one application.
struct ArcFiles {
    ImageName caller, callee;
    ImageName app;  ///< meaningless if libraries are merged: each image is its own application then
    std::vector<ClassFile> files;
};

/// The columns and their files.
struct ProfileClasses {
    Axis axis = Axis::event;
    std::vector<ProfileClass> classes;  ///< never empty
    std::vector<ImageFiles> images;     ///< sorted by image; samples only
    std::vector<ArcFiles> arcs;         ///< sorted by caller, callee, application
    bool is_library_merged = false;
    bool are_threads_merged = false;  ///< processes and threads were summed though `merge` did not ask for it
    std::string separate_with = {};   ///< if so, what shows them: "--merge=tid,cpu for a column per process"
};

/// Arranges files, at least one. If classes differ in more than one way and `may_differ_in_several` is false,
/// sums processes and threads. If they still differ in several ways, throws a usage error that names these
/// ways and suggests what to merge or select.
ProfileClasses arrange(std::span<const SelectedFile> files, const Merge& merge,
                       bool may_differ_in_several = false);

}  // namespace op::pp
