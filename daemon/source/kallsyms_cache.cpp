// SPDX-License-Identifier: GPL-2.0-or-later
// Checking and replacing the file.
#include "daemon/source/kallsyms_cache.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "libop/base/access_policy.h"
#include "libop/base/build_id.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/kallsyms.h"
#include "libop/base/kernel_file.h"
#include "libop/base/machine_root.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

constexpr const char* file_name = "kallsyms";
constexpr std::string_view format_mark = "oprofile-kallsyms 1 ";
constexpr size_t page = 4096, longest_first_line = 512, block_bytes = size_t{1} << 16;

/// Root's alone, whatever the umask.
constexpr AccessPolicy policy{
    .is_strict = true, .directory_mode = 0700, .file_mode = 0600, .group = std::nullopt};

/// Up to `most` bytes from a place in a file.
std::string read_part(const Fd& file, size_t most, uint64_t at) {
    std::string bytes(most, '\0');
    const ssize_t n = ::pread(file.get(), bytes.data(), most, static_cast<off_t>(at));
    bytes.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return bytes;
}

/// The lines of the kernel itself that `text` begins with, without a last one that is cut off.
std::string_view own_lines(std::string_view text) {
    text = text.substr(0, text.rfind('\n') + 1);
    const size_t other = text.find("]\n");
    return other == text.npos ? text : text.substr(0, text.substr(0, other).rfind('\n') + 1);
}

/// True if one of the lines has an address: who may not see them reads zeros.
bool has_address(std::string_view lines) {
    while (!lines.empty())
        if (parse_kallsyms_line(take_line(lines))) return true;
    return false;
}

/// The file, unless somebody else could have written to it or has access.
bool is_roots_alone(const struct stat& st) {
    return S_ISREG(st.st_mode) && st.st_uid == ::geteuid() && (st.st_mode & (S_IRWXG | S_IRWXO)) == 0 &&
           st.st_nlink == 1;
}

/// Calls `take` with blocks of the kernel's own lines. False if it returned false.
template <class Take>
bool for_each_own_block(const Fd& copy, Take take) {
    for (uint64_t at = 0;;) {
        const std::string block = read_part(copy, block_bytes, at);
        const std::string_view lines = own_lines(block);
        if (lines.empty()) return true;
        if (!take(lines)) return false;
        at += lines.size();
    }
}

uint64_t own_size(const Fd& copy) {
    uint64_t size = 0;
    for_each_own_block(copy, [&](std::string_view lines) {
        size += lines.size();
        return true;
    });
    return size;
}

/// Others need the room of a file system in memory, too.
bool has_ample_room(const Fd& directory, uint64_t size) {
    constexpr uint64_t share = 8;
    struct statvfs st {};
    return ::fstatvfs(directory.get(), &st) == 0 && uint64_t{st.f_bavail} * st.f_frsize / share >= size;
}

}  // namespace

std::optional<KallsymsCache> KallsymsCache::of_this_boot() {
    if (::geteuid() != 0) return std::nullopt;
    const std::string boot = read_kernel_line(machine_path("/proc/sys/kernel/random/boot_id"));
    const std::string notes = read_kernel_file("/sys/kernel/notes");
    if (boot.empty() || boot.find(' ') != boot.npos) return std::nullopt;
    return KallsymsCache("/run", boot + '/' + build_id_of_notes(as_bytes(notes)));
}

/// Throws an error if it is not there or not to be trusted.
Fd KallsymsCache::directory(bool make) const {
    const Fd parent = open_file(parent_, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    policy.check(parent, parent_);
    return open_directory_at(parent, "oprofile", parent_ + "/oprofile", make, policy);
}

std::string KallsymsCache::first_line(uint64_t size, const KernelRange& code,
                                      const KernelRange& exec_code) const {
    std::string line = std::string(format_mark) + boot_ + ' ' + std::to_string(size);
    for (const uint64_t each : {code.start, code.end, exec_code.start, exec_code.end})
        line += ' ' + hex(each);
    return line + '\n';
}

std::optional<CachedKallsyms> KallsymsCache::open(const Fd& kallsyms) const try {
    Fd file = open_at(directory(false), file_name, O_RDONLY | O_NONBLOCK);
    struct stat st {};
    if (!file || ::fstat(file.get(), &st) != 0 || !is_roots_alone(st)) return std::nullopt;
    const std::string start = read_part(file, longest_first_line + page, 0);
    std::string_view rest = start;
    const std::string_view line = take_line(rest);
    std::string_view words = line.substr(std::min(line.size(), format_mark.size()));
    take_word(words);
    take_word(words);
    std::array<uint64_t, 4> ends{};
    for (uint64_t& each : ends)
        each = parse_number(take_word(words), 16).value_or(0);
    const KernelRange code{ends[0], ends[1]}, exec_code{ends[2], ends[3]};
    const uint64_t size = static_cast<uint64_t>(st.st_size) - std::min<uint64_t>(st.st_size, line.size() + 1);
    if (std::string(line) + '\n' != first_line(size, code, exec_code) || code.start >= code.end)
        return std::nullopt;
    const std::string live = read_part(kallsyms, page, 0);
    const std::string_view shown = own_lines(live);
    if (!has_address(shown) || !rest.starts_with(shown)) return std::nullopt;
    return CachedKallsyms{std::move(file), code, exec_code};
} catch (const Error&) {
    return std::nullopt;
}

void KallsymsCache::store(const Fd& copy, const KernelRange& code, const KernelRange& exec_code) const try {
    const Fd dir = directory(true);
    const uint64_t size = own_size(copy);
    if (!has_ample_room(dir, size)) return;
    TemporaryFile temporary(dir, file_name, parent_ + "/oprofile/" + file_name);
    const Fd file = open_at(dir, temporary.name().c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (!file) return;
    policy.finish(file);
    const auto write = [&](std::string_view bytes) { return write_part(file.get(), bytes) == bytes.size(); };
    if (write(first_line(size, code, exec_code)) && for_each_own_block(copy, write)) temporary.rename();
} catch (const Error&) {
    return;
}

}  // namespace op::collect
