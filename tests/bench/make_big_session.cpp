// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions for measuring reports:
//   make_big_session files DIR N             N sample files of a few entries each, ten a made-up application
//   make_big_session addresses DIR IMAGE N   one sample file with N addresses spread over IMAGE's code
//   make_big_session calls DIR IMAGE N       N samples at up to 100,000 addresses, each with three calls
//   make_big_session shared DIR IMAGE N      N sample files of IMAGE, each of another application, with 300
//                                            addresses spread over its code
//   make_big_session stacks DIR IMAGE N      N samples with call stacks of 30 frames in IMAGE's code
#include <elf.h>
#include <fcntl.h>

#include <algorithm>
#include <cstring>

#include "libop/base/bytes.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libop/events/cpu_model.h"
#include "libop/session/session.h"
#include "libop/stacks/stack_set.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

constexpr uint64_t count = 1000000;

SampleName name_of(const std::string& app, const std::string& image) {
    SampleName name;
    name.app = {ImageName::Kind::file, app};
    name.image = {ImageName::Kind::file, image};
    name.event = "TIMER";
    name.count = count;
    return name;
}

SampleFile open_file_of(SessionWriter& session, const std::string& app, const std::string& image,
                        Diagnostics& notes) {
    SampleHeader header;
    header.cpu_type = cpu_type_timer;
    header.count = count;
    return session.open_sample_file(name_of(app, image), header, notes);
}

void make_files(SessionWriter& session, uint64_t files, Diagnostics& notes) {
    constexpr uint64_t images_of_an_application = 10, entries = 50;
    for (uint64_t i = 0; i < files; ++i) {
        const std::string app = "/usr/bin/app" + std::to_string(i / images_of_an_application);
        const uint64_t library = i % images_of_an_application;
        const std::string image = library == 0 ? app : "/usr/lib/lib" + std::to_string(library) + ".so";
        SampleFile file = open_file_of(session, app, image, notes);
        for (uint64_t entry = 0; entry < entries; ++entry)
            file.add(0x1000 + entry * 16, static_cast<uint32_t>(1 + (i + entry) % 7));
    }
}

/// A range of file offsets.
struct Range {
    uint64_t start, length;
};

/// The place of an ELF file's code: the largest executable PT_LOAD.
Range code_range(const std::string& image) {
    const MappedFile file(image);
    ByteReader reader(file.bytes(), image);
    const auto header = reader.get<Elf64_Ehdr>();
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw_input(image + ": not an ELF file");
    Range largest{};
    for (size_t i = 0; i < header.e_phnum; ++i) {
        reader.seek(header.e_phoff + i * sizeof(Elf64_Phdr));
        const auto segment = reader.get<Elf64_Phdr>();
        const bool is_code = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0;
        if (is_code && segment.p_filesz > largest.length) largest = {segment.p_offset, segment.p_filesz};
    }
    if (largest.length == 0) throw_input(image + ": no code");
    return largest;
}

void make_addresses(SessionWriter& session, const std::string& image, uint64_t addresses,
                    Diagnostics& notes) {
    const Range code = code_range(image);
    const uint64_t step = std::max<uint64_t>(1, code.length / addresses);
    SampleFile file = open_file_of(session, image, image, notes);
    for (uint64_t i = 0; i < addresses; ++i)
        file.add(code.start + i * step, static_cast<uint32_t>(1 + i % 5));
}

void make_shared(SessionWriter& session, const std::string& image, uint64_t files, Diagnostics& notes) {
    constexpr uint64_t addresses = 300;
    const Range code = code_range(image);
    const uint64_t step = std::max<uint64_t>(1, code.length / addresses);
    for (uint64_t i = 0; i < files; ++i) {
        SampleFile file = open_file_of(session, "/usr/bin/app" + std::to_string(i), image, notes);
        for (uint64_t j = 0; j < addresses; ++j)
            file.add(code.start + j * step + i % step, static_cast<uint32_t>(1 + (i + j) % 7));
    }
}

/// As a profiler stores N samples with call graphs: one file of samples, one of arcs. The chains are made up:
/// the callers of an address are others of the 100,000, always the same.
void make_calls(SessionWriter& session, const std::string& image, uint64_t samples, Diagnostics& notes) {
    constexpr uint64_t most_addresses = 100000, depth = 3;
    const uint64_t addresses = std::min(samples, most_addresses);
    const Range code = code_range(image);
    const uint64_t step = std::max<uint64_t>(1, code.length / addresses);
    const auto address = [&](uint64_t i) { return code.start + i % addresses * step; };
    SampleFile file = open_file_of(session, image, image, notes);
    SampleName name = name_of(image, image);
    name.callee = name.image;
    SampleHeader header;
    header.cpu_type = cpu_type_timer;
    header.count = count;
    SampleFile arcs = session.open_sample_file(name, header, notes);
    for (uint64_t i = 0; i < samples; ++i) {
        file.add(address(i));
        for (uint64_t level = 0, callee = i; level < depth; ++level, callee = callee * 31 + 7)
            arcs.add(address(callee * 31 + 7) << 32 | address(callee));
    }
}

/// N stacks in a tree of about four nodes a stack, as that of a compiler has: from the outermost function on,
/// each calls mostly the same one, or one of three others.
void make_stacks(SessionWriter& session, const std::string& session_dir, const std::string& image,
                 uint64_t samples, Diagnostics& notes) {
    constexpr uint64_t depth = 30, functions = 8192, leaves = 8;
    const Range code = code_range(image);
    const uint64_t step = std::max<uint64_t>(1, code.length / functions);
    const Fd dir = open_file(session_dir + "/samples/current", O_RDONLY | O_DIRECTORY);
    StackSet stacks(dir, session_dir, notes);
    SampleFile file = open_file_of(session, image, image, notes);
    const uint32_t number = stacks.image({ImageName::Kind::file, image});
    const SampleClass of{"TIMER", count, 0, {}, {}, {}};
    uint64_t random = 1;
    const auto draw = [&random](uint64_t below) {
        random = random * 6364136223846793005 + 1442695040888963407;
        return (random >> 33) % below;
    };
    std::vector<StackFrame> frames(depth);
    for (uint64_t i = 0; i < samples; ++i) {
        uint64_t path = 0;
        for (uint64_t level = 0; level < depth; ++level) {
            const uint64_t callee = draw(12) != 0 ? 0 : 1 + draw(3);
            path = (path * 31 + callee + 1) * 0x9e3779b97f4a7c15;
            frames[depth - 1 - level] = {number, code.start + (path >> 40) % functions * step, false};
        }
        frames.front() = {number, frames.front().offset + draw(leaves), true};
        stacks.add(of, number, frames, StackEnd::root, 1);
        file.add(frames.front().offset);
    }
}

uint64_t number(const char* text) {
    const auto value = parse_number(text);
    if (!value || *value == 0) throw_usage(std::string("not a number: ") + text);
    return *value;
}

int make_big_session(Tool& tool, int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    const bool needs_image = what == "addresses" || what == "calls" || what == "shared" || what == "stacks";
    if (!(what == "files" && argc == 4) && !(needs_image && argc == 5))
        throw_usage("usage: make_big_session files DIR N | addresses|calls|shared|stacks DIR IMAGE N");
    SessionWriter session(argv[2], true, tool.notes);
    session.begin(false);
    if (what == "files")
        make_files(session, number(argv[3]), tool.notes);
    else if (what == "addresses")
        make_addresses(session, argv[3], number(argv[4]), tool.notes);
    else if (what == "shared")
        make_shared(session, argv[3], number(argv[4]), tool.notes);
    else if (what == "stacks")
        make_stacks(session, argv[2], argv[3], number(argv[4]), tool.notes);
    else
        make_calls(session, argv[3], number(argv[4]), tool.notes);
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::make_big_session);
}
