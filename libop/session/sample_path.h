// SPDX-License-Identifier: GPL-2.0-or-later
// Sample file names: the only code that converts image, event and separation to a path and back.
// Format: doc/FORMATS.md, "Sample file names".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace op {

/// The image of a sample, written as {root}, {kern} or {anon:...} in paths.
struct ImageName {
    enum class Kind : uint8_t {
        file,    ///< {root}: `name` is an absolute path
        kernel,  ///< {kern}: `name` is a kernel's or module's bare name, without '/'
        anon,    ///< {anon:label}: `name` is the label, the region is [start, end] of process tgid
    };
    Kind kind = Kind::file;
    std::string name;
    uint32_t tgid = 0;   ///< anon only
    uint64_t start = 0;  ///< anon only, run-time address of the first byte
    uint64_t end = 0;    ///< anon only, run-time address of the last byte (inclusive)

    auto operator<=>(const ImageName&) const = default;
    /// The name in reports: the path, the bare name, "<label> (tgid:N range:0xS-0xE)", or the label of what
    /// has no range or is in every process.
    std::string display() const;
};

/// What the samples of a file have in common besides their images.
struct SampleClass {
    std::string event;   ///< without '.', ':' or '/'
    uint64_t count = 0;  ///< reset count
    uint64_t unit_mask = 0;
    std::optional<uint32_t> tgid, tid, cpu;  ///< none = "all"

    auto operator<=>(const SampleClass&) const = default;
};

/// The parts of a sample file's name.
struct SampleName {
    ImageName app;                    ///< executable of the process
    ImageName image;                  ///< image the samples are in; for call graphs the caller's
    std::optional<ImageName> callee;  ///< call graph only
    std::string event;                ///< without '.', ':' or '/'
    uint64_t count = 0;               ///< reset count
    uint64_t unit_mask = 0;
    std::optional<uint32_t> tgid, tid, cpu;  ///< none = "all"

    auto operator<=>(const SampleName&) const = default;
};

/// An image as paths have it, "{root}/usr/bin/ls", and a class as the last component of paths,
/// "TIMER.1000000.0.all.all.all". Both throw as mangle().
std::string mangle_image(const ImageName& image);
std::string mangle_class(const SampleClass& sample_class);
/// Their inverses; empty if the text is not one of those.
std::optional<ImageName> parse_image(std::string_view text);
std::optional<SampleClass> parse_class(std::string_view text);

/// The path below the session's sample directory (samples/<session>), without leading slash. Throws an input
/// error if a part cannot be spelled safely: a "." or ".." component, an empty name, a NUL, a relative file
/// path, a component that begins with "{" (it would read as a tag), or an event with '.', '/' or ':'.
std::string mangle(const SampleName& name);

/// The inverse of mangle; any prefix before the first tag is skipped. Empty if `path` is not a sample file's
/// name.
std::optional<SampleName> parse_sample_path(std::string_view path);

}  // namespace op
