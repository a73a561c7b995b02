// SPDX-License-Identifier: GPL-2.0-or-later
// Reading by blocks of whole lines.
#include "daemon/source/kallsyms_copy.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "daemon/source/symbol_choice.h"
#include "libop/base/error.h"
#include "libop/base/gzip.h"
#include "libop/base/kallsyms.h"
#include "libop/base/kernel_file.h"
#include "libop/base/text.h"
#include "libop/stream/record.h"

namespace op::collect {
namespace {

constexpr size_t block_bytes = size_t{1} << 16;
constexpr const char* modules_path = "/proc/modules";

Fd open_kallsyms() {
    return Fd(::open(std::string(kallsyms_image).c_str(), O_RDONLY | O_CLOEXEC));
}

/// Fills `buffer` from `used` on; returns how much of it is filled then. A file in /proc gives a page at a
/// time.
size_t fill(int fd, std::string& buffer, size_t used) {
    while (used < buffer.size()) {
        const ssize_t n = ::read(fd, buffer.data() + used, buffer.size() - used);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        used += static_cast<size_t>(n);
    }
    return used;
}

/// Calls `take` for each block of whole lines, as long as it returns true.
template <class Take>
void for_each_block(int fd, Take take) {
    std::string buffer(block_bytes, '\0');
    size_t kept = 0;
    for (;;) {
        const size_t used = fill(fd, buffer, kept);
        const std::string_view all(buffer.data(), used);
        const size_t end = all.rfind('\n');
        if (end == all.npos) return;  // its end, or a line too long to be one
        if (!take(all.substr(0, end + 1))) return;
        kept = all.substr(end + 1).copy(buffer.data(), used);
    }
}

/// Gives `scan` the lines that end in "text"; false when it needs no more.
bool scan_block(std::string_view block, KernelRangeScan& scan) {
    while (!block.empty()) {
        const std::string_view line = take_line(block);
        if (line.ends_with("text") && !scan.take(line)) return false;
    }
    return true;
}

bool is_function(char type) {
    return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/// Reads the addresses of lines, most of which differ from the one before in the last digits only.
class AddressReader {
public:
    std::optional<uint64_t> read(std::string_view digits) {
        constexpr size_t last_digits = 3, most_digits = 16;
        if (digits.size() <= last_digits || digits.size() > most_digits) return parse_number(digits, 16);
        const std::string_view first = digits.substr(0, digits.size() - last_digits);
        if (first != first_digits_) {
            const auto value = parse_number(first, 16);
            if (!value) return std::nullopt;
            first_digits_ = first;
            first_value_ = *value << 4 * last_digits;
        }
        uint64_t last = 0;
        for (const char digit : digits.substr(first.size())) {
            const unsigned value = value_of(digit);
            if (value > 15) return std::nullopt;
            last = last << 4 | value;
        }
        return first_value_ | last;
    }

private:
    /// Above 15 if it is no digit.
    static unsigned value_of(char digit) {
        if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
        const char letter = static_cast<char>(digit | 0x20);
        return letter >= 'a' && letter <= 'f' ? static_cast<unsigned>(letter - 'a' + 10) : 16;
    }

    std::string first_digits_;
    uint64_t first_value_ = 0;
};

/// Calls `take` for the lines of functions, with their addresses.
template <class Take>
void for_each_function(std::string_view block, Take take) {
    AddressReader addresses;
    while (!block.empty()) {
        const std::string_view line = take_line(block);
        const size_t space = line.find(' ');
        if (space + 2 >= line.size() || !is_function(line[space + 1])) continue;
        const auto address = addresses.read(line.substr(0, space));
        if (address && *address != 0) take(line, *address);
    }
}

std::vector<std::string> touched_modules(std::string_view text, const KernelPages& pages) {
    std::vector<std::string> names;
    for (const ModuleLine& module : parse_modules(text))
        if (pages.touch(module.start, module.start + module.length)) names.emplace_back(module.name);
    return names;
}

/// Compresses text piece by piece.
class Pieces {
public:
    void add_if_large() {
        if (text.size() >= block_bytes) add();
    }
    std::string finish() && {
        add();
        return is_empty_ ? std::string() : std::move(gzip_).finish();
    }

    std::string text;

private:
    void add() {
        is_empty_ &= text.empty();
        gzip_.add(text);
        text.clear();
    }

    GzipWriter gzip_;
    bool is_empty_ = true;
};

std::string all_functions(int fd) {
    Pieces pieces;
    for_each_block(fd, [&](std::string_view block) {
        for_each_function(block,
                          [&](std::string_view line, uint64_t) { pieces.text.append(line).push_back('\n'); });
        pieces.add_if_large();
        return true;
    });
    return std::move(pieces).finish();
}

/// None if the symbols are in no order.
std::optional<std::string> chosen_functions(int fd, SymbolChoice choice) {
    Pieces pieces;
    for_each_block(fd, [&](std::string_view block) {
        for_each_function(
            block, [&](std::string_view line, uint64_t address) { choice.take(line, address, pieces.text); });
        pieces.add_if_large();
        return true;
    });
    choice.finish(pieces.text);
    if (!choice.is_sorted()) return std::nullopt;
    return std::move(pieces).finish();
}

}  // namespace

/// The file; empty if it cannot be opened.
Fd KallsymsCopy::open() const {
    return given_ ? Fd(::fcntl(given_->get(), F_DUPFD_CLOEXEC, 0)) : open_kallsyms();
}

std::optional<KernelRange> KallsymsCopy::read() {
    const Fd kallsyms = open();
    copy_ = Fd();
    if (!kallsyms) return std::nullopt;
    if (read_cache(kallsyms)) return range_;
    const auto range = read_all(kallsyms);
    if (cache_ && copy_ && range) cache_->store(copy_, *range, exec_code_);
    return range;
}

/// False if it has to be read from the kernel.
bool KallsymsCopy::read_cache(const Fd& kallsyms) {
    auto cached = cache_ && has_copy_ ? cache_->open(kallsyms) : std::nullopt;
    if (!cached) return false;
    copy_ = std::move(cached->file);
    is_cached_ = true;
    range_ = cached->code;
    exec_code_ = cached->exec_code;
    modules_.clear();
    return true;
}

std::optional<KernelRange> KallsymsCopy::read_all(const Fd& kallsyms) {
    KernelRangeScan scan;
    ExecCodeScan exec_scan;
    ::lseek(kallsyms.get(), 0, SEEK_SET);
    modules_ = read_kernel_file(modules_path);
    is_cached_ = false;
    copy_ = has_copy_ ? Fd(::memfd_create("kallsyms", MFD_CLOEXEC)) : Fd();
    bool is_sought = true;
    for_each_block(kallsyms.get(), [&](std::string_view block) {
        if (is_sought) exec_scan.take(block);  // which is before _etext
        is_sought = is_sought && scan_block(block, scan);
        if (copy_ && write_part(copy_.get(), block) != block.size()) copy_ = Fd();
        return has_copy_ || is_sought;
    });
    const auto range = scan.range();
    range_ = range.value_or(KernelRange{});
    exec_code_ = exec_scan.range();
    return range;
}

std::string KallsymsCopy::snapshot(const KernelPages* pages) {
    Fd kallsyms;
    if (is_stale(pages)) {
        kallsyms = open();
        if (!kallsyms) return "";
        read_all(kallsyms);
    }
    const int fd = copy_ ? copy_.get() : kallsyms.get();
    if (pages && pages->has_all()) {
        ::lseek(fd, 0, SEEK_SET);
        if (auto chosen = chosen_functions(fd, {*pages, touched_modules(modules_, *pages)})) return *chosen;
    }
    ::lseek(fd, 0, SEEK_SET);
    return all_functions(fd);
}

std::string packed_functions(const Fd& kallsyms) {
    ::lseek(kallsyms.get(), 0, SEEK_SET);
    return all_functions(kallsyms.get());
}

/// The kernel's own symbols stay where they are.
bool KallsymsCopy::is_stale(const KernelPages* pages) const {
    if (!copy_) return true;
    const bool has_others = !pages || pages->touch(0, range_.start) || pages->touch(range_.end, UINT64_MAX);
    if (!has_others) return false;
    if (is_cached_) return true;
    const std::string now = read_kernel_file(modules_path);
    return parse_modules(now) != parse_modules(modules_);
}

}  // namespace op::collect
