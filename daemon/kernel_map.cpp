// SPDX-License-Identifier: GPL-2.0-or-later
// Reading the kernel's own map.
#include "daemon/kernel_map.h"

#include "daemon/collector.h"
#include "daemon/proc_scan.h"
#include "libop/build_id.h"
#include "libop/error.h"
#include "libop/fd.h"
#include "libop/text.h"

namespace op::collect {
namespace {

constexpr const char* kallsyms_path = "/proc/kallsyms";

struct SymbolLine {
    uint64_t address;
    std::string_view type, name;
};

/// "address type name [module]"; a line that is not understood has an empty name.
SymbolLine parse_symbol(std::string_view line) {
    const auto address = parse_number(take_word(line), 16);
    const auto type = take_word(line), name = take_word(line);
    return address ? SymbolLine{*address, type, name} : SymbolLine{0, {}, {}};
}

std::string read_or_empty(const std::string& path) {
    try {
        return read_file(path);
    } catch (const Error&) {
        return {};
    }
}

/// The bytes of a hexadecimal build-id.
std::string unhex(std::string_view text) {
    std::string bytes;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
        bytes += static_cast<char>(parse_number(text.substr(i, 2), 16).value_or(0));
    return bytes;
}

std::span<const std::byte> keep_build_id(const std::string& notes_path, RecordList& out) {
    const std::string notes = read_or_empty(notes_path);
    return as_bytes(out.keep(unhex(build_id_of_notes(as_bytes(notes)))));
}

void add_kernel(std::string_view name, KernelRange range, std::span<const std::byte> build_id, RecordList& out) {
    out.add(Mapping{0, 0, {range.start}, range.end - range.start, 0, true, name, build_id});
}

std::string hidden_message() {
    std::string knob = read_or_empty("/proc/sys/kernel/kptr_restrict");
    if (knob.ends_with('\n')) knob.pop_back();
    if (knob.empty()) return "kernel samples will have no symbols: /proc/kallsyms cannot be read";
    return "kernel samples will have no symbols: kernel addresses are hidden (kernel.kptr_restrict is " + knob +
           "); run as root with kernel.kptr_restrict=1 or 0 to see them";
}

}  // namespace

std::optional<KernelRange> kernel_range(std::string_view kallsyms) {
    std::optional<uint64_t> text, stext;
    while (!kallsyms.empty()) {
        const SymbolLine symbol = parse_symbol(take_line(kallsyms));
        if (symbol.address == 0) continue;
        if (symbol.name == "_text") text = symbol.address;
        if (symbol.name == "_stext") stext = symbol.address;
        if (symbol.name != "_etext") continue;
        const auto start = text ? text : stext;
        if (!start || symbol.address <= *start) return std::nullopt;
        return KernelRange{*start, symbol.address};
    }
    return std::nullopt;
}

// "name size refcount users state address [taint]"
std::vector<ModuleLine> parse_modules(std::string_view text) {
    std::vector<ModuleLine> modules;
    while (!text.empty()) {
        std::string_view line = take_line(text);
        const auto name = take_word(line), size = take_word(line);
        take_word(line);
        take_word(line);
        take_word(line);
        auto address = take_word(line);
        if (address.starts_with("0x")) address.remove_prefix(2);
        const auto length = parse_number(size), start = parse_number(address, 16);
        if (length && start && *start != 0 && *length > 0) modules.push_back({name, *start, *length});
    }
    return modules;
}

std::string text_symbols(std::string_view kallsyms) {
    std::string out;
    while (!kallsyms.empty()) {
        const std::string_view line = take_line(kallsyms);
        const SymbolLine symbol = parse_symbol(line);
        if (symbol.address == 0 || symbol.name.empty() || symbol.type.size() != 1) continue;
        if (std::string_view("tTwW").find(symbol.type[0]) == std::string_view::npos) continue;
        out.append(line).push_back('\n');
    }
    return out;
}

void add_kernel_records(const std::string& vmlinux, RecordList& out, Diagnostics& notes) {
    // Region arithmetic needs offsets that are raw addresses, so the catch-all starts at 0.
    add_kernel(no_vmlinux, {0, UINT64_MAX}, {}, out);
    if (const auto range = kernel_range(read_or_empty(kallsyms_path))) {
        const std::string_view name = vmlinux.empty() ? kallsyms_path : out.keep(vmlinux);
        add_kernel(name, *range, keep_build_id("/sys/kernel/notes", out), out);
    } else {
        notes.warn(hidden_message());
    }
    add_module_records(out);
}

void add_module_records(RecordList& out) {
    const std::string text = read_or_empty("/proc/modules");
    for (const ModuleLine& module : parse_modules(text)) {
        const std::string name(module.name);
        add_kernel(out.keep(name), {module.start, module.start + module.length},
                   keep_build_id("/sys/module/" + name + "/notes/.note.gnu.build-id", out), out);
    }
}

std::string kallsyms_snapshot() { return text_symbols(read_or_empty(kallsyms_path)); }

}  // namespace op::collect
