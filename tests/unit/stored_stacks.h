// SPDX-License-Identifier: GPL-2.0-or-later
// A session's directory with a set of stacks, for tests.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libop/base/text.h"
#include "libop/stacks/stack_file.h"
#include "libop/stacks/stack_reader.h"
#include "libop/stacks/stack_set.h"
#include "tests/unit/sample_file_bytes.h"
#include "tests/unit/temp_dir.h"

namespace op::test {

inline ImageName file_image(std::string path) {
    return {ImageName::Kind::file, std::move(path), 0, 0, 0};
}

inline const SampleClass some_class{"CYCLES", 100000, 1, {}, {}, {}};

/// A stack as text: "app;outermost;...;innermost", a cut as "[dump_short]", an exact frame with "!".
using StackTexts = std::map<std::string, uint64_t>;

inline std::string text_of_frame(const StackSetReader& reader, const StackFrame& frame) {
    if (frame.is_cut()) return "[" + std::string(stack_end_name(frame.end())) + "]";
    const std::string image = reader.images()[frame.image].display();
    if (frame.is_application()) return image;
    return image + "+" + hex(frame.offset) + (frame.is_exact ? "!" : "");
}

/// All stacks of a class in a session's directory, with their samples.
inline StackTexts stacks_in(const Fd& dir, const SampleClass& sample_class, Diagnostics& notes) {
    auto reader = StackSetReader::open(dir, "S", notes);
    StackTexts texts;
    if (!reader) return texts;
    const StoredTree tree = reader->read(sample_class, notes);
    std::vector<std::string> paths(1);
    for (size_t i = 1; i < tree.nodes.size(); ++i) {
        const StoredNode& node = tree.nodes[i];
        paths.push_back(paths[node.parent] + (node.parent == 0 ? "" : ";") +
                        text_of_frame(*reader, reader->frames()[node.frame]));
        if (node.count != 0) texts[paths[i]] += node.count;
    }
    return texts;
}

/// A file of a set with these entries.
inline std::string stack_file(StackFileKind kind, const std::vector<uint64_t>& entries) {
    Bytes bytes;
    bytes.text({stack_file_magic.data(), stack_file_magic.size()})
        .u32(stack_file_version)
        .u32(static_cast<uint32_t>(kind))
        .u32(entries.size());
    for (const uint64_t entry : entries)
        bytes.u64(entry);
    return bytes;
}

class StacksFolder {
public:
    Fd open() const { return open_file(temp_.path(), O_RDONLY | O_DIRECTORY); }
    StackSet set(const StackLimits& limits = {}) { return {open(), "S", notes, {}, limits}; }
    /// As recover_account() does it.
    void recover() { const StackSet ended(open(), "S", notes, {}, {}, true); }
    std::string path(const std::string& name) const { return temp_ / ("stacks/" + name); }
    std::string bytes(const std::string& name) const { return read_file(path(name)); }
    void write(const std::string& name, std::string_view bytes) const {
        temp_.write("stacks/" + name, bytes);
    }
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(path("")))
            names.push_back(entry.path().filename());
        std::sort(names.begin(), names.end());
        return names;
    }

    /// All stacks of a class with their samples.
    StackTexts stacks(const SampleClass& sample_class = some_class) {
        return stacks_in(open(), sample_class, notes);
    }

    Diagnostics notes;

private:
    TempDir temp_;
};

inline uint64_t sum_of(const StackTexts& stacks) {
    uint64_t sum = 0;
    for (const auto& [stack, count] : stacks)
        sum += count;
    return sum;
}

}  // namespace op::test
