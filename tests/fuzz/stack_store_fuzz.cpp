// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: a set of stacks from the bytes (u32 length of `images`, u32 length of `frames`, these, then
// the nodes of a class). It is read, which gives a sound tree or an input error; then stacks are added, which
// are there after that.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "libop/base/error.h"
#include "libop/session/sample_path.h"
#include "libop/stacks/stack_reader.h"
#include "libop/stacks/stack_set.h"
#include "tests/fuzz/work_dir.h"

namespace {

constexpr uint64_t added = 40;

const op::SampleClass some_class{"CYCLES", 100000, 1, {}, {}, {}};

void require(bool claim) {
    if (!claim) ::abort();
}

std::string_view take(std::string_view& rest, size_t n) {
    const std::string_view part = rest.substr(0, n);
    rest.remove_prefix(part.size());
    return part;
}

uint32_t take_length(std::string_view& rest) {
    uint32_t length = 0;
    const std::string_view bytes = take(rest, sizeof length);
    bytes.copy(reinterpret_cast<char*>(&length), bytes.size());
    return length;
}

void write(const std::string& path, std::string_view bytes) {
    const op::Fd fd = op::open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
    op::write_fd(fd.get(), bytes, path);
}

void make_set(const op::fuzz::WorkDir& dir, std::string_view bytes) {
    std::filesystem::remove_all(dir / "stacks");
    std::filesystem::create_directory(dir / "stacks");
    const uint32_t images = take_length(bytes), frames = take_length(bytes);
    write(dir / "stacks/images", take(bytes, images));
    write(dir / "stacks/frames", take(bytes, frames));
    write(dir / ("stacks/" + op::mangle_class(some_class)), bytes);
}

void require_sound(const op::StackSetReader& reader, const op::StoredTree& tree) {
    std::vector<uint32_t> depths(1);
    for (size_t i = 1; i < tree.nodes.size(); ++i) {
        const op::StoredNode& node = tree.nodes[i];
        require(node.parent < i && node.frame < reader.frames().size());
        const op::StackFrame& frame = reader.frames()[node.frame];
        require(frame.image < reader.images().size());
        depths.push_back(depths[node.parent] + 1);
        require(depths[i] <= op::deepest_stack && frame.is_application() == (depths[i] == 1));
        require(!frame.is_cut() || depths[i] == 2);
    }
}

/// The sum of all samples, also of those on damaged nodes; 0 if the set cannot be read.
uint64_t read(const op::fuzz::WorkDir& dir, op::Diagnostics& notes) {
    try {
        auto reader = op::StackSetReader::open(dir.fd(), "fuzz", notes);
        require(bool(reader));
        const op::StoredTree tree = reader->read(some_class, notes);
        require_sound(*reader, tree);
        uint64_t sum = tree.damaged;
        for (const op::StoredNode& node : tree.nodes)
            sum += node.count;
        return sum;
    } catch (const op::Error& error) {
        require(error.kind() == op::ErrorKind::input);
        return 0;
    }
}

/// Returns how many samples could be added.
uint64_t add(const op::fuzz::WorkDir& dir) {
    op::Diagnostics notes;
    op::StackSet set(dir.fd(), "fuzz", notes);
    const uint32_t app = set.image({op::ImageName::Kind::file, "/fuzz", 0, 0, 0});
    for (uint64_t i = 0; i < added; ++i) {
        const std::vector<op::StackFrame> stack{{app, i, true}, {app, i / 4, false}, {1, i % 3, false}};
        set.add(some_class, 1, stack, i % 5 ? op::StackEnd::root : op::StackEnd::no_info, 1);
    }
    const op::StackAccount counts = set.counts();
    require(app > 1 || (app == 1 && counts.cut == 0));
    require(counts.stored() + counts.lost == added && counts.cut == 0);
    return counts.stored();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const op::fuzz::WorkDir dir;
    make_set(dir, {reinterpret_cast<const char*>(data), size});
    op::Diagnostics notes;
    const uint64_t before = read(dir, notes);
    const uint64_t stored = add(dir);
    const uint64_t after = read(dir, notes);
    require(after >= stored && after <= before + stored);
    return 0;
}
