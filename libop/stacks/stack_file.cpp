// SPDX-License-Identifier: GPL-2.0-or-later
// The check of a file's header.
#include "libop/stacks/stack_file.h"

#include <algorithm>

#include "libop/base/error.h"

namespace op {

namespace {

void check(const RawStackFileHeader& header, StackFileKind kind, const std::string& label) {
    if (header.magic != stack_file_magic) throw_input(label + ": not a file of call stacks");
    if (header.version == __builtin_bswap32(stack_file_version))
        throw_input(label + ": call stacks of a machine with the other byte order");
    if (header.version != stack_file_version)
        throw_input(label + ": call stacks of unknown version " + std::to_string(header.version) +
                    " (known: " + std::to_string(stack_file_version) + ")");
    if (header.kind != static_cast<uint32_t>(kind))
        throw_input(label + ": not a file of " + (kind == StackFileKind::frames ? "frames" : "nodes") +
                    " of call stacks");
}

}  // namespace

ParsedStackFile parse_stack_file(std::span<const std::byte> bytes, StackFileKind kind,
                                 const std::string& label) {
    if (bytes.empty()) return {};
    RawStackFileHeader header;
    if (bytes.size() < sizeof header) throw_input(label + ": not a file of call stacks (it is cut off)");
    std::memcpy(&header, bytes.data(), sizeof header);
    settle_copies();
    check(header, kind, label);
    const size_t there = (bytes.size() - sizeof header) / sizeof(uint64_t);
    const auto most = static_cast<uint32_t>(std::min<size_t>(there, most_stack_entries));
    ParsedStackFile found{{bytes, std::min(header.used, most)}, ""};
    if (header.used > most_stack_entries)
        found.fault = "the number of entries it states is impossible";
    else if (header.used > most)
        found.fault = "it is cut off";
    return found;
}

}  // namespace op
