// SPDX-License-Identifier: GPL-2.0-or-later
// opimport: makes a sample file of another kind of machine one of this kind, or a session of recordings of
// other profilers (import_session.h). What reads the other machine's files is in the sandbox; what writes a
// sample file is a helper process outside.
#include <fcntl.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <limits>
#include <type_traits>
#include <utility>

#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libop/events/event_catalogue.h"
#include "libop/session/foreign_abi.h"
#include "libop/session/session_statistics.h"
#include "utils/import_session.h"
#include "utils/shared/helper.h"
#include "utils/shared/options.h"
#include "utils/shared/sandbox.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

struct Options {
    std::string abi, output;
    bool force = false, verbose = false;
    ImportRequest import;
};

CommandSyntax syntax(Options& o) {
    return {"--session-dir=DIR RECORDING... | --abi=FILE --output=FILE SAMPLE-FILE",
            {
                {"session-dir", 'd', &o.import.session_dir, "the session to make of recordings", "DIR"},
                {"from", 0, &o.import.from, "the recordings' kind (default: by their first bytes)", "KIND"},
                {"append", 0, &o.import.append,
                 "add to samples/current instead of moving it to samples/previous"},
                {"kallsyms", 0, &o.import.kallsyms, "/proc/kallsyms of the recorded machine", "FILE"},
                {"kernel-map", 0, &o.import.kallsyms, "the same, of Akaros: obj/kern/ksyms.map", "FILE"},
                {"root", 0, &o.import.kind.root, "where the recorded machine's files are here", "DIR"},
                {"jit-dir", 0, &o.import.jit_dir,
                 "where jit-PID.dump and perf-PID.map of recorded processes are here", "DIR"},
                {"callgraph-files", 0, &o.import.callgraph_files,
                 "also write pairs of caller and callee, for OProfile's programs"},
                {"abi", 'a', &o.abi, "the file abi of the other machine's session", "FILE"},
                {"output", 'o', &o.output, "the sample file to write", "FILE"},
                {"force", 'f', &o.force, "convert even if both machines have the same ABI"},
                {"verbose", 'V', &o.verbose, "print the header of the sample file"},
                {"no-sandbox", 0, &o.import.no_sandbox, "read foreign files with all rights (see SANDBOX)"},
            }};
}

void print_header(const SampleFileContent& content) {
    const SampleHeader& h = content.header;
    write_stderr("version 0x" + hex(content.version) + ", cpu type " + std::to_string(h.cpu_type) +
                 ", event " + std::to_string(h.event_code) + ", unit mask " + std::to_string(h.unit_mask) +
                 ", count " + std::to_string(h.count) + ", is kernel " + std::to_string(h.is_kernel) +
                 ", mtime " + std::to_string(h.mtime) + ", anonymous start 0x" + hex(h.anon_start) +
                 ", callee is kernel " + std::to_string(h.cg_to_is_kernel) + ", callee's anonymous start 0x" +
                 hex(h.cg_to_anon_start) + "\n" + counted(content.entries.size(), "entry", "entries") + ", " +
                 std::to_string(content.total) + " samples\n");
}

/// What is written is of version 0x13, whose numbers of CPU types differ from 0x12's.
void settle_cpu_type(SampleFileContent& content) {
    if (content.version != 0x12) return;
    content.header.cpu_type = cpu_models().number_of_0_9(content.header.cpu_type);
}

/// Header and entries as they are in memory, for write_samples() in another process of this program.
std::string bytes_of(const SampleFileContent& content) {
    static_assert(std::is_trivially_copyable_v<SampleHeader> && std::is_trivially_copyable_v<SampleEntry>);
    std::string bytes(reinterpret_cast<const char*>(&content.header), sizeof content.header);
    return bytes.append(reinterpret_cast<const char*>(content.entries.data()),
                        content.entries.size() * sizeof(SampleEntry));
}

/// The inverse; throws an internal error for another length.
SampleFileContent content_of(std::string_view bytes) {
    SampleFileContent content;
    const size_t head = sizeof content.header;
    if (bytes.size() < head || (bytes.size() - head) % sizeof(SampleEntry) != 0)
        throw Error(ErrorKind::internal, "samples to write are cut off");
    std::memcpy(&content.header, bytes.data(), head);
    for (const auto& [flag, at] :  // whatever comes from the sandbox, they are true or false
         {std::pair{&content.header.is_kernel, offsetof(SampleHeader, is_kernel)},
          std::pair{&content.header.cg_to_is_kernel, offsetof(SampleHeader, cg_to_is_kernel)}})
        *flag = bytes[at] != '\0';
    content.entries.resize((bytes.size() - head) / sizeof(SampleEntry));
    std::memcpy(content.entries.data(), bytes.data() + head, bytes.size() - head);
    return content;
}

/// Writes beside the output and renames over it: a failure leaves what was there.
void write_samples(const std::string& output, const SampleFileContent& content, Diagnostics& notes) {
    namespace fs = std::filesystem;
    const fs::path path(output);
    const std::string dir_path = path.parent_path().empty() ? "." : path.parent_path().string();
    const Fd dir(::open(dir_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!dir) throw_system("cannot write " + output);
    TemporaryFile temporary(dir, path.filename(), output);
    uint64_t lost = 0;
    {
        SampleFile file(dir, temporary.name(), content.header, printable(output), notes);
        for (const SampleEntry& entry : content.entries)
            for (uint64_t left = entry.count; left > 0;) {
                const auto part =
                    static_cast<uint32_t>(std::min<uint64_t>(left, std::numeric_limits<uint32_t>::max()));
                file.add(entry.key, part);
                left -= part;
            }
        const SampleFileCounts counts = file.flush_and_count();
        if (counts.lost_no_space > 0) throw_system("cannot write " + printable(output), ENOSPC);
        lost = counts.lost_saturated;
    }
    temporary.rename();
    if (lost > 0) notes.warn(counted(lost, "sample") + " did not fit: a count is at most 4294967295");
}

/// Reads the sample file and prints what is asked for.
SampleFileContent read_samples(const Options& o, const std::string& input, Diagnostics& notes) {
    const ForeignAbi abi(read_file(o.abi), printable(o.abi));
    if (!o.force && abi == ForeignAbi(abi_text(), "abi"))
        throw_usage(
            "the other machine's ABI is this machine's: nothing to convert (--force converts anyway)");
    const MappedFile file(input);
    SampleFileContent content = abi.parse(file.bytes(), printable(input), notes);
    if (o.verbose) print_header(content);
    settle_cpu_type(content);
    return content;
}

void convert(const Options& o, const std::string& input, Diagnostics& notes) {
    if (o.import.no_sandbox) return write_samples(o.output, read_samples(o, input, notes), notes);
    const auto write = [&](std::string_view request) {
        write_samples(o.output, content_of(request), notes);
        return std::string();
    };
    Helper writer(write, notes);
    enter_sandbox({.descriptors = {writer.descriptor()}}, notes);
    writer.ask(bytes_of(read_samples(o, input, notes)));
}

int opimport(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    if (!o.import.session_dir.empty()) {
        if (!o.abi.empty() || !o.output.empty())
            throw_usage("--session-dir is for recordings, --abi and --output are for sample files");
        if (parsed.words.empty()) throw_usage("give the recordings to import");
        o.import.files = parsed.words;
        return import_session(tool, o.import);
    }
    if (parsed.words.size() != 1)
        throw_usage("give one sample file, or --session-dir=DIR and recordings of perf or others");
    std::error_code error;
    const bool is_there = std::filesystem::exists(parsed.words.front(), error) || error;
    if (!is_there && !parsed.words.front().ends_with(".jo"))
        throw_input(
            printable(parsed.words.front()) +
            ": no such file; give one sample file, or --session-dir=DIR and recordings of perf or others");
    if (o.abi.empty())
        throw_usage(
            "give the other machine's ABI: --abi=FILE (its session directory holds one); for a recording of "
            "perf or others give --session-dir=DIR");
    if (o.output.empty()) throw_usage("give the file to make: --output=FILE");
    if (o.output == "-")
        throw_usage("a sample file does not go to standard output: name a file ('./-' for one named so)");
    const std::string& input = parsed.words.front();
    if (!input.ends_with(".jo")) convert(o, input, tool.notes);
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::opimport);
}
