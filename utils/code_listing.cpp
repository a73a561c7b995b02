// SPDX-License-Identifier: GPL-2.0-or-later
// The instructions of symbols as text.
#include "utils/code_listing.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "libop/base/child_signal.h"
#include "libop/base/elf_object.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::tool {

namespace {

/// What objdump prints first of every file.
std::string heading(const std::string& name, std::string_view format, std::string_view section) {
    return "\n" + printable(name) + ":     file format " + std::string(format) +
           "\n\n\nDisassembly of section " + printable(section) + ":\n\n";
}

std::string symbol_at(const pp::ImageSymbols& symbols, LinkAddress address) {
    const auto all = symbols.symbols();
    const auto next = std::ranges::upper_bound(all, address, {}, &pp::ImageSymbol::address);
    if (next == all.begin()) return "";
    const pp::ImageSymbol& symbol = *std::prev(next);
    const uint64_t offset = address - symbol.address;
    if (offset >= symbol.length) return "";
    return printable(symbol.name) + (offset ? "+0x" + hex(offset) : "");
}

/// Runs a program without a shell; what it prints on stdout.
std::string output_of(std::vector<std::string> words) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw_system("cannot make a pipe");
    const Fd read_end(ends[0]);
    Fd write_end(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
    std::vector<char*> argv;
    for (auto& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    keep_child_statuses();
    pid_t child = 0;
    const int error = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw_system("cannot run " + words[0], error);
    write_end.reset();
    std::string text = read_fd(read_end.get(), words[0]);
    int status = 0;
    if (::waitpid(child, &status, 0) != child || status != 0)
        throw_input(words[0] + " failed; its own message is above");
    return text;
}

}  // namespace

CodeListing::CodeListing(const std::string& path, std::string name, const ListingOptions& options,
                         const SourceFinder& finder)
    : path_(path),
      name_(std::move(name)),
      options_(options),
      finder_(finder),
      file_(path),
      object_(open_elf(file_.bytes(), path)),
      sections_(object_->sections()) {
    if (!options.objdump_params.empty()) return;
    const auto machine = pp::machine_of(file_.bytes());
    if (!machine) throw_input(path + ": not an ELF file");
    disassembler_ = std::make_unique<pp::Disassembler>(*machine);
}

std::string CodeListing::list(const pp::AnnotatedCode& code, pp::ImageSymbols& symbols) {
    if (!disassembler_) return run_objdump(code);
    const LinkAddress start = code.symbol->address;
    const Section* const section = sections_.find(start);
    if (!section)
        throw_input(printable(path_) + ": " + printable(code.name) + " lies in no section with code");
    return heading(name_, disassembler_->format(), section->name) + disassemble(*section, code, symbols);
}

std::string CodeListing::disassemble(const Section& section, const pp::AnnotatedCode& code,
                                     pp::ImageSymbols& symbols) {
    const pp::NameAddress name = [&](LinkAddress address) { return symbol_at(symbols, address); };
    const uint64_t offset = code.symbol->address - section.address;
    const auto bytes =
        section.bytes.subspan(offset, std::min<uint64_t>(code.symbol->length, section.bytes.size() - offset));
    std::string text = hex(code.symbol->address.value(), 16) + " <" + printable(code.symbol->name) + ">:\n";
    source_line_ = 0;
    for (size_t at = 0; at < bytes.size();) {
        const LinkAddress address = code.symbol->address + at;
        if (options_.with_source)
            if (const auto line = symbols.line(code.symbol->start + at)) text += source_lines(*line);
        const auto instruction = disassembler_->next(bytes.subspan(at), address, name);
        const std::string digits = hex(address.value());
        text += std::string(digits.size() < 8 ? 8 - digits.size() : 0, ' ') + digits + ":\t" +
                printable(instruction.text) + "\n";
        at += instruction.length;
    }
    return text;
}

/// The lines from the one after that printed last, as far as they lead forward; else that line alone.
std::string CodeListing::source_lines(const pp::SourceLine& line) {
    const bool is_same_file = line.file == source_file_ && source_line_ != 0;
    if (line.line == 0 || (is_same_file && line.line == source_line_)) return "";
    const uint32_t first = is_same_file && line.line > source_line_ ? source_line_ + 1 : line.line;
    source_file_ = line.file;
    source_line_ = line.line;
    const auto [at, is_new] = sources_.try_emplace(source_file_);
    if (is_new) {
        const std::string content = finder_.read(source_file_).value_or(Source{}).text;
        for (std::string_view rest = content; !rest.empty();)
            at->second.emplace_back(take_line(rest));
    }
    std::string text;
    for (uint32_t i = first; i <= line.line && i <= at->second.size(); ++i)
        text += at->second[i - 1] + "\n";
    return text;
}

std::string CodeListing::run_objdump(const pp::AnnotatedCode& code) const {
    std::vector<std::string> words{"objdump", "-d", "--no-show-raw-insn"};
    if (options_.with_source) words.emplace_back("-S");
    const uint64_t start = code.symbol->address.value();
    words.push_back("--start-address=0x" + hex(start));
    words.push_back("--stop-address=0x" + hex(start + code.symbol->length));
    words.insert(words.end(), options_.objdump_params.begin(), options_.objdump_params.end());
    words.emplace_back("--");
    words.push_back(path_);
    std::string text = output_of(std::move(words));
    if (const std::string head = "\n" + path_ + ":"; text.starts_with(head))
        text.replace(0, head.size(), "\n" + printable(name_) + ":");
    return text;
}

}  // namespace op::tool
