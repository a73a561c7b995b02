// SPDX-License-Identifier: GPL-2.0-or-later
// Reads with pread(2), not through a mapping: a file that somebody cuts off meanwhile is only shorter.
#include "utils/optop/followed_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/session/sample_file_layout.h"
#include "libop/session/session_files.h"

namespace op::tool {

namespace {

/// The longest header of any version, with the descriptor, ends before this byte.
constexpr size_t longest_head = 128;

/// Reads up to `length` bytes at the file's begin into `buffer`, which only grows; returns what it read.
std::string_view read_start(const Fd& file, size_t length, const std::string& label, std::string& buffer) {
    if (buffer.size() < length) buffer.resize(length);
    size_t done = 0;
    while (done < length) {
        const ssize_t n = ::pread(file.get(), buffer.data() + done, length - done, static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_system("cannot read " + label);
        if (n == 0) break;
        done += static_cast<size_t>(n);
    }
    return {buffer.data(), done};
}

}  // namespace

/// False if there is no such file. One that was removed is not the one at the path.
bool FollowedFile::open(const Fd& dir) {
    struct stat st {};
    if (file_ && ::fstat(file_.get(), &st) == 0 && st.st_nlink > 0) return true;
    seen_.clear();
    try {
        file_ = open_regular_below(dir, path_, label_);
    } catch (const Error& error) {
        if (!is_gone(error.code())) throw;
        file_.reset();
    }
    return static_cast<bool>(file_);
}

/// Compares in pieces that stay in the processor's first cache.
bool FollowedFile::is_as_before() const {
    std::array<char, size_t{16} << 10> piece;
    for (size_t at = 0; at < seen_.size();) {
        const size_t length = std::min(piece.size(), seen_.size() - at);
        const ssize_t n = ::pread(file_.get(), piece.data(), length, static_cast<off_t>(at));
        if (n <= 0 || std::memcmp(piece.data(), seen_.data() + at, static_cast<size_t>(n)) != 0) return false;
        at += static_cast<size_t>(n);
    }
    return !seen_.empty();
}

FileNews FollowedFile::read(const Fd& dir, bool stays_open, std::string& buffer, Diagnostics& notes) {
    if (!open(dir)) return FileNews::gone;
    if (is_as_before()) {
        if (!stays_open) file_.reset();
        return FileNews::same;
    }
    struct stat st {};
    if (::fstat(file_.get(), &st) != 0) throw_system("cannot read " + label_);
    if (static_cast<uint64_t>(st.st_size) > sample_file_limit)
        throw_input(label_ + ": longer than " + std::to_string(sample_file_limit) + " bytes");
    const std::string_view bytes = read_start(file_, static_cast<size_t>(st.st_size), label_, buffer);
    if (!stays_open) file_.reset();
    seen_.clear();  // a damaged file is read again each time
    content_ = parse_sample_file(as_bytes(bytes), label_, notes);
    seen_ = bytes.substr(0, longest_head + content_.entries.size() * sizeof(RawSampleNode));
    return FileNews::changed;
}

}  // namespace op::tool
