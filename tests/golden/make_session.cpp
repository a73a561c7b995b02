// SPDX-License-Identifier: GPL-2.0-or-later
// make_session DESCRIPTION DIRECTORY: makes a session directory for golden tests from a text that people can
// review. One directive a line, '#' begins a comment line:
//   session NAME              what follows goes to samples/NAME (at first: current)
//   cpu_type N, speed MHZ     for the headers of the files that follow
//   file PATH                 begins a sample file
//   header KEY=VALUE...       of that file: cpu_type event_code unit_mask count is_kernel mtime anon_start
//   version 0xKEY COUNT               an entry of that file cut N                     cuts that file to N
//   bytes at last text PATH CONTENT         a file with that one line, no sample file kallsyms ADDRESS NAME
//   a line of the recorded kernel symbols
//   stacks CLASS [NODES]      call stacks that follow are of that class, e.g. TIMER.1000000.0.all.all.all;
//   the session
//                             has room for so many nodes of each class
//   stack COUNT END APP FRAME...   one of them, outermost frame first. END is a reason ("root", "dump_short",
//   ...), FRAME
//                             an offset in APP or IMAGE+OFFSET; the last one is the sampled address
//   code APP TGID [oprofile]  begins the symbols of a process's run-time code, ours or as OProfile writes
//   them function ADDRESS SIZE NAME...    one of them; bytes HEX and line ADDRESS NUMBER FILE are of the last
//   one
#include <elf.h>
#include <fcntl.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/gzip.h"
#include "libop/base/text.h"
#include "libop/jit/jo_file.h"
#include "libop/session/sample_file.h"
#include "libop/session/session_info.h"
#include "libop/stacks/stack_set.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

namespace fs = std::filesystem;

/// A sample file while it is described.
struct Draft {
    fs::path path;
    SampleHeader header;
    uint32_t version = 0x13;
    std::vector<std::pair<uint64_t, uint32_t>> entries;
    std::optional<uint64_t> cut;
};

uint64_t number(std::string_view text) {
    const auto value = parse_c_integer(text);
    if (!value) throw_usage("not a number: " + std::string(text));
    return *value;
}

template <class T>
void append(std::string& bytes, T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A header of version 0x12 as OProfile 0.9 lays it out on 64-bit machines.
std::string old_header(const SampleHeader& header) {
    std::string bytes = "DAE\n";
    for (const uint32_t value : {0x12u, header.cpu_type, header.event_code, header.unit_mask, header.count,
                                 uint32_t{header.is_kernel}, 0u})
        append(bytes, value);
    append(bytes, header.cpu_speed_mhz);
    append(bytes, header.mtime);
    append(bytes, uint32_t{header.cg_to_is_kernel});
    append(bytes, uint32_t{0});
    append(bytes, uint64_t{0xffffffff});
    append(bytes, header.anon_start);
    append(bytes, header.cg_to_anon_start);
    append(bytes, uint64_t{0});
    return bytes;
}

void make_old(const fs::path& path, const SampleHeader& header) {
    constexpr size_t new_header_size = 72;
    const std::string bytes = old_header(header) + read_file(path).substr(new_header_size);
    std::ofstream(path, std::ios::binary) << bytes;
}

class Maker {
public:
    explicit Maker(fs::path samples) : samples_(std::move(samples)) { fs::create_directories(session_dir()); }

    void line(std::string_view rest) {
        const auto word = take_word(rest);
        if (word.empty() || word.starts_with('#')) return;
        if (word.starts_with("0x"))
            return draft().entries.emplace_back(number(word), number(take_word(rest))), void();
        const auto directive = directives.find(word);
        if (directive == directives.end()) throw_usage("unknown directive " + std::string(word));
        (this->*directive->second)(rest);
    }

    void finish() {
        finish_file();
        finish_code();
        stacks_.reset();
        if (!kallsyms_.empty()) write(session_dir() / kallsyms_name, gzip(kallsyms_));
        kallsyms_.clear();
    }

private:
    using Directive = void (Maker::*)(std::string_view);

    fs::path session_dir() const { return samples_ / session_; }
    Draft& draft() {
        if (!draft_) throw_usage("no file directive before this line");
        return *draft_;
    }

    void session(std::string_view rest) {
        finish();
        session_ = take_word(rest);
        fs::create_directories(session_dir());
    }
    void cpu_type(std::string_view rest) { cpu_type_ = number(take_word(rest)); }
    void speed(std::string_view rest) { speed_ = number(take_word(rest)); }
    void file(std::string_view rest) {
        finish_file();
        rest.remove_prefix(1);
        draft_ = Draft{session_dir() / rest, {}, 0x13, {}, {}};
        draft_->header.cpu_type = cpu_type_;
        draft_->header.cpu_speed_mhz = speed_;
    }
    void header(std::string_view rest) {
        for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
            const size_t equals = word.find('=');
            if (equals == word.npos) throw_usage("not KEY=VALUE: " + std::string(word));
            set(draft(), word.substr(0, equals), number(word.substr(equals + 1)));
        }
    }
    static void set(Draft& draft, std::string_view key, uint64_t value) {
        SampleHeader& header = draft.header;
        if (key == "event_code")
            header.event_code = value;
        else if (key == "unit_mask")
            header.unit_mask = value;
        else if (key == "cpu_type")
            header.cpu_type = value;
        else if (key == "count")
            header.count = value;
        else if (key == "is_kernel")
            header.is_kernel = value != 0;
        else if (key == "mtime")
            header.mtime = value;
        else if (key == "anon_start")
            header.anon_start = value;
        else if (key == "version")
            draft.version = value;
        else
            throw_usage("unknown header field " + std::string(key));
    }
    void cut(std::string_view rest) { draft().cut = number(take_word(rest)); }
    void text(std::string_view rest) {
        const fs::path path = session_dir() / take_word(rest);
        rest.remove_prefix(std::min<size_t>(1, rest.size()));
        write(path, std::string(rest) + "\n");
    }
    void kallsyms(std::string_view rest) {
        const auto address = take_word(rest);
        kallsyms_ += std::string(address) + " T " + std::string(take_word(rest)) + "\n";
    }

    void code(std::string_view rest) {
        finish_code();
        const ImageName app{.name = std::string(take_word(rest))};
        code_path_ = jo_path(app, static_cast<uint32_t>(number(take_word(rest))));
        is_code_of_oprofile_ = !take_word(rest).empty();
    }
    void function(std::string_view rest) {
        const uint64_t address = number(take_word(rest)), size = number(take_word(rest));
        code_.symbols.push_back({address, size, std::string(rest.substr(1))});
    }
    CodeSymbol& last_function() {
        if (code_.symbols.empty()) throw_usage("no function directive before this line");
        return code_.symbols.back();
    }
    void code_bytes(std::string_view rest) {
        const std::string_view digits = take_word(rest);
        for (size_t i = 0; i + 1 < digits.size(); i += 2)
            last_function().code.push_back(
                static_cast<std::byte>(number("0x" + std::string(digits.substr(i, 2)))));
    }
    void code_line(std::string_view rest) {
        const uint64_t address = number(take_word(rest)), line = number(take_word(rest));
        last_function().lines.push_back({address, static_cast<uint32_t>(line), std::string(take_word(rest))});
    }
    /// Files of OProfile have no sizes and no note.
    void finish_code() {
        if (code_path_.empty()) return;
        std::string bytes = make_jo(code_, {EM_X86_64, {.is_64bit = true, .is_big_endian = false}});
        if (is_code_of_oprofile_) {
            bytes.replace(bytes.rfind(".note.oprofile-ng"), 5, ".gone");
            for (const CodeSymbol& symbol : code_.symbols) {
                const std::string end("\x12\0", 2);
                for (size_t at = bytes.find(end); at != bytes.npos; at = bytes.find(end, at + 1))
                    if (at % 8 == 4 &&
                        bytes.compare(at + 12, 1, std::string(1, static_cast<char>(symbol.size))) == 0)
                        bytes.replace(at + 12, 8, std::string(8, '\0'));
            }
        }
        write(session_dir() / code_path_, bytes);
        code_ = {};
        code_path_.clear();
    }

    void stacks(std::string_view rest) {
        stack_class_ = parse_class(take_word(rest));
        if (!stack_class_) throw_usage("not a class of samples");
        if (stacks_) return;
        StackLimits limits;
        if (const auto nodes = take_word(rest); !nodes.empty()) limits.nodes = number(nodes);
        stacks_dir_ = open_file(session_dir(), O_RDONLY | O_DIRECTORY);
        stacks_.emplace(stacks_dir_, "session", notes_, AccessPolicy{}, limits);
    }
    void stack(std::string_view rest) {
        if (!stacks_) throw_usage("no stacks directive before this line");
        const auto count = static_cast<uint32_t>(number(take_word(rest)));
        const StackEnd end = end_of(take_word(rest));
        const std::string app(take_word(rest));
        std::vector<StackFrame> frames;
        for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
            const size_t plus = word.find('+');
            const bool is_elsewhere = plus != word.npos;
            const std::string image = is_elsewhere ? std::string(word.substr(0, plus)) : app;
            frames.insert(frames.begin(),
                          {image_number(image), number(is_elsewhere ? word.substr(plus + 1) : word), false});
        }
        if (!frames.empty()) frames.front().is_exact = true;
        stacks_->add(*stack_class_, image_number(app), frames, end, count);
    }
    uint32_t image_number(const std::string& name) {
        if (const auto region = parse_image(name); region && name.starts_with('{'))
            return stacks_->image(*region);
        const auto kind = name.starts_with('/') ? ImageName::Kind::file : ImageName::Kind::kernel;
        return stacks_->image({kind, name});
    }
    static StackEnd end_of(std::string_view name) {
        for (uint8_t end = 0; end < static_cast<uint8_t>(StackEnd::count); ++end)
            if (stack_end_name(static_cast<StackEnd>(end)) == name) return static_cast<StackEnd>(end);
        throw_usage("not an end of stacks: " + std::string(name));
    }

    static void write(const fs::path& path, std::string_view bytes) {
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << bytes;
    }

    void finish_file() {
        if (!draft_) return;
        const Draft& d = *draft_;
        fs::create_directories(d.path.parent_path());
        const Fd dir = open_file(d.path.parent_path(), O_RDONLY | O_DIRECTORY);
        {
            Diagnostics notes;
            SampleFile out(dir, d.path.filename(), d.header, "sample file", notes);
            for (const auto& [key, count] : d.entries)
                out.add(key, count);
        }
        if (d.version == 0x12) make_old(d.path, d.header);
        if (d.cut) fs::resize_file(d.path, *d.cut);
        draft_.reset();
    }

    static const std::map<std::string_view, Directive> directives;

    fs::path samples_;
    std::string session_ = "current";
    uint32_t cpu_type_ = 0;
    double speed_ = 0;
    std::optional<Draft> draft_;
    std::string kallsyms_;
    std::string code_path_;
    bool is_code_of_oprofile_ = false;
    CodeMap code_;
    Diagnostics notes_;
    Fd stacks_dir_;
    std::optional<StackSet> stacks_;
    std::optional<SampleClass> stack_class_;
};

const std::map<std::string_view, Maker::Directive> Maker::directives = {
    {"session", &Maker::session},  {"cpu_type", &Maker::cpu_type}, {"speed", &Maker::speed},
    {"file", &Maker::file},        {"header", &Maker::header},     {"cut", &Maker::cut},
    {"text", &Maker::text},        {"kallsyms", &Maker::kallsyms}, {"stacks", &Maker::stacks},
    {"stack", &Maker::stack},      {"code", &Maker::code},         {"function", &Maker::function},
    {"bytes", &Maker::code_bytes}, {"line", &Maker::code_line},
};

int make_session(Tool&, int argc, char** argv) {
    if (argc != 3) throw_usage("usage: make_session DESCRIPTION DIRECTORY");
    Maker maker(fs::path(argv[2]) / "samples");
    const std::string description = read_file(argv[1]);
    for (std::string_view rest = description; !rest.empty();)
        maker.line(take_line(rest));
    maker.finish();
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::make_session);
}
