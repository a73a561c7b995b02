// SPDX-License-Identifier: GPL-2.0-or-later
// Reading by blocks of whole lines.
#include "daemon/source/kallsyms_copy.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

/// Calls `take` for each block of whole lines.
template <class Take>
void for_each_block(int fd, Take take) {
    std::string buffer(block_bytes, '\0');
    size_t kept = 0;
    for (;;) {
        const size_t used = fill(fd, buffer, kept);
        const std::string_view all(buffer.data(), used);
        const size_t end = all.rfind('\n');
        if (end == all.npos) return;  // its end, or a line too long to be one
        take(all.substr(0, end + 1));
        kept = all.substr(end + 1).copy(buffer.data(), used);
    }
}

/// Gives `scan` the lines that end in "text"; false when it needs no more.
bool scan_block(std::string_view block, KernelRangeScan& scan) {
    constexpr std::string_view mark = "text\n";
    while (const void* const found = ::memmem(block.data(), block.size(), mark.data(), mark.size())) {
        const size_t end = static_cast<size_t>(static_cast<const char*>(found) - block.data()) + mark.size();
        const size_t before = block.substr(0, end - 1).rfind('\n');
        const size_t start = before == block.npos ? 0 : before + 1;
        if (!scan.take(block.substr(start, end - 1 - start))) return false;
        block.remove_prefix(end);
    }
    return true;
}

/// Calls `take` for the lines of functions, with their addresses.
template <class Take>
void for_each_function(std::string_view block, Take take) {
    while (!block.empty()) {
        const std::string_view line = take_line(block);
        const size_t space = line.find(' ');
        if (space + 2 >= line.size() || std::strchr("tTwW", line[space + 1]) == nullptr) continue;
        const auto address = parse_number(line.substr(0, space), 16);
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
    });
    choice.finish(pieces.text);
    if (!choice.is_sorted()) return std::nullopt;
    return std::move(pieces).finish();
}

}  // namespace

std::optional<KernelRange> KallsymsCopy::read() {
    KernelRangeScan scan;
    copy_ = Fd();
    const Fd fd(::open(std::string(kallsyms_image).c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return std::nullopt;
    modules_ = read_kernel_file(modules_path);
    copy_ = Fd(::memfd_create("kallsyms", MFD_CLOEXEC));
    bool is_sought = true;
    for_each_block(fd.get(), [&](std::string_view block) {
        is_sought = is_sought && scan_block(block, scan);
        if (copy_ && write_part(copy_.get(), block) != block.size()) copy_ = Fd();
    });
    const auto range = scan.range();
    range_ = range.value_or(KernelRange{});
    return range;
}

std::string KallsymsCopy::snapshot(const KernelPages* pages) {
    if (is_stale(pages)) read();
    const Fd kallsyms = copy_ ? Fd() : Fd(::open(std::string(kallsyms_image).c_str(), O_RDONLY | O_CLOEXEC));
    const int fd = copy_ ? copy_.get() : kallsyms.get();
    if (fd < 0) return "";
    if (pages && pages->has_all()) {
        ::lseek(fd, 0, SEEK_SET);
        if (auto chosen = chosen_functions(fd, {*pages, touched_modules(modules_, *pages)})) return *chosen;
    }
    ::lseek(fd, 0, SEEK_SET);
    return all_functions(fd);
}

/// The kernel's own symbols stay where they are.
bool KallsymsCopy::is_stale(const KernelPages* pages) const {
    if (!copy_) return true;
    const bool has_others = !pages || pages->touch(0, range_.start) || pages->touch(range_.end, UINT64_MAX);
    if (!has_others) return false;
    const std::string now = read_kernel_file(modules_path);
    return parse_modules(now) != parse_modules(modules_);
}

}  // namespace op::collect
