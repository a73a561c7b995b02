// SPDX-License-Identifier: GPL-2.0-or-later
// Reading the kernel's own map.
#include "daemon/source/kernel_map.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "daemon/source/kallsyms_copy.h"
#include "daemon/source/proc_scan.h"
#include "libop/base/build_id.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/kallsyms.h"
#include "libop/base/kernel_file.h"
#include "libop/base/machine_root.h"
#include "libop/base/path.h"
#include "libop/base/text.h"
#include "libop/stream/record.h"

namespace op::collect {
namespace {

/// None if the symbols are missing or hidden.
std::optional<KernelRange> read_kernel_range() {
    KernelRangeScan scan;
    try {
        for_each_line(std::string(kallsyms_image), [&](std::string_view line) { return scan.take(line); });
    } catch (const Error&) {
        return std::nullopt;
    }
    return scan.range();
}

/// The bytes of a hexadecimal build-id.
std::string unhex(std::string_view text) {
    std::string bytes;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
        bytes += static_cast<char>(parse_number(text.substr(i, 2), 16).value_or(0));
    return bytes;
}

std::span<const std::byte> keep_build_id(const std::string& notes_path, RecordList& out) {
    const std::string notes = read_kernel_file(notes_path);
    return as_bytes(out.keep(unhex(build_id_of_notes(as_bytes(notes)))));
}

void add_kernel(std::string_view name, KernelRange range, std::span<const std::byte> build_id,
                RecordList& out) {
    out.add(Mapping{0, 0, {range.start}, range.end - range.start, 0, true, name, build_id});
}

/// What hidden kernel addresses mean; `vmlinux` = the image whose own addresses are used instead, empty =
/// none.
std::string hidden_message(const std::string& vmlinux) {
    const std::string knob = read_kernel_line(machine_path("/proc/sys/kernel/kptr_restrict"));
    const std::string outcome =
        vmlinux.empty() ? "kernel samples will have no symbols"
                        : "kernel samples get their symbols from where " + vmlinux +
                              " was linked to run, which is wrong for a kernel that moved (KASLR)";
    if (knob.empty()) return outcome + ": /proc/kallsyms cannot be read";
    return outcome + ": kernel addresses are hidden (kernel.kptr_restrict is " + knob +
           "); run as root with kernel.kptr_restrict=1 or 0 to see them";
}

}  // namespace

bool KernelRangeScan::take(std::string_view line) {
    const auto symbol = parse_kallsyms_line(line);
    if (!symbol) return true;
    if (symbol->name == "_text") text_ = symbol->address;
    if (symbol->name == "_stext") stext_ = symbol->address;
    if (symbol->name == "_etext") etext_ = symbol->address;
    return etext_ == 0;
}

void ExecCodeScan::take(std::string_view lines) {
    constexpr std::string_view wanted = " T begin_new_exec\n";
    if (range_.end != 0) return;
    if (start_ != 0) return end_at(lines);
    const void* const place = ::memmem(lines.data(), lines.size(), wanted.data(), wanted.size());
    if (!place) return;
    const auto found = static_cast<size_t>(static_cast<const char*>(place) - lines.data());
    const size_t before = lines.substr(0, found).rfind('\n');
    const size_t line = before == lines.npos ? 0 : before + 1;
    start_ = parse_number(lines.substr(line, found - line), 16).value_or(0);
    lines.remove_prefix(found + wanted.size());
    if (!lines.empty()) end_at(lines);
}

/// At the next symbol, which is the next line.
void ExecCodeScan::end_at(std::string_view next_line) {
    constexpr uint64_t largest = 1 << 16;
    const auto next = parse_kallsyms_line(take_line(next_line));
    const bool is_end = start_ != 0 && next && next->address > start_ && next->address - start_ < largest;
    if (is_end) range_ = {start_, next->address};
    start_ = 0;
}

std::optional<KernelRange> KernelRangeScan::range() const {
    const uint64_t start = text_ ? text_ : stext_;
    if (start == 0 || etext_ <= start) return std::nullopt;
    return KernelRange{start, etext_};
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

KernelRange parse_kernel_range(std::string_view text) {
    const auto address = [](std::string_view part) {
        if (part.starts_with("0x") || part.starts_with("0X")) part.remove_prefix(2);
        return parse_number(part, 16);
    };
    const auto parts = split(text, ',');
    const auto start = address(parts.front()), end = address(parts.back());
    if (parts.size() != 2 || !start || !end || *start >= *end)
        throw_usage("kernel range '" + printable(text) +
                    "': write START,END in hexadecimal, START below END");
    return {*start, *end};
}

std::optional<KernelPlace> KernelPlace::of(const std::optional<KernelRange>& known,
                                           const NamedKernel& named) {
    const std::string_view name = named.path.empty() ? kallsyms_image : named.path;
    if (known) return KernelPlace{name, *known};
    if (named.range) return KernelPlace{name, *named.range};
    return std::nullopt;
}

void add_kernel_records(const NamedKernel& kernel, RecordList& out, Diagnostics& notes, KallsymsCopy* kept) {
    // Region arithmetic needs offsets that are raw addresses, so the catch-all starts at 0.
    add_kernel(no_vmlinux, {0, UINT64_MAX}, {}, out);
    std::optional<KernelRange> range = kernel.asked;
    if (!range) range = kept ? kept->read() : read_kernel_range();
    const auto place = KernelPlace::of(range, kernel);
    if (place)
        add_kernel(out.keep(std::string(place->name)), place->range, keep_build_id("/sys/kernel/notes", out),
                   out);
    if (!range) notes.warn(hidden_message(place ? kernel.path : ""));
    add_module_records(out);
}

void add_module_records(RecordList& out) {
    const std::string text = read_kernel_file("/proc/modules");
    for (const ModuleLine& module : parse_modules(text)) {
        const std::string name(module.name);
        add_kernel(out.keep(name), {module.start, module.start + module.length},
                   keep_build_id("/sys/module/" + name + "/notes/.note.gnu.build-id", out), out);
    }
}

}  // namespace op::collect
