// SPDX-License-Identifier: GPL-2.0-or-later
// Owned file descriptors, read-only mappings and whole-file reads and writes.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace op {

/// Owns one file descriptor; closes it when destroyed. -1 = none.
class Fd {
public:
    Fd() = default;
    explicit Fd(int fd) noexcept : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) reset(std::exchange(other.fd_, -1));
        return *this;
    }
    ~Fd() { reset(); }

    int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }
    int release() noexcept { return std::exchange(fd_, -1); }
    void reset(int fd = -1) noexcept;

private:
    int fd_ = -1;
};

/// Opens a file; O_CLOEXEC is always added. Throws a system error "cannot open PATH".
Fd open_file(const std::string& path, int flags, mode_t mode = 0644);
/// Opens a regular file for reading; follows symbolic links. Anything else is refused before it is opened, as
/// the opening alone of a device or a FIFO may do something or wait. Throws a system error "cannot open
/// PATH", or an input error "PATH: not a regular file".
Fd open_regular(const std::string& path);
/// Opens the regular file at a descriptor that was opened with O_PATH for reading. Returns an empty Fd with
/// errno set on failure (ENOENT: there is no /proc).
Fd reopen_regular(const Fd& place) noexcept;
/// Opens `name` below the directory `dir`; O_CLOEXEC and O_NOFOLLOW are always added.
/// Returns an empty Fd with errno set on failure.
Fd open_at(const Fd& dir, const char* name, int flags, mode_t mode = 0644) noexcept;

/// Occupies the descriptors 0, 1 and 2 as far as this process was started without them, so that no file
/// opened later becomes its standard output. Reading and writing there fails as before (EBADF), and a program
/// that is executed is started without them, too.
void occupy_standard_descriptors() noexcept;

/// True if `path` is a regular file; follows symbolic links.
bool is_regular_file(const std::string& path) noexcept;
/// True if both have the same device and inode: they are one file as long as one of them is open.
bool is_same_file(const struct stat& one, const struct stat& other) noexcept;

/// Reads a whole file. Its size need not be known beforehand (/proc). Throws a system error.
std::string read_file(const std::string& path);
/// The same; none if the file does not exist.
std::optional<std::string> read_file_if_any(const std::string& path);
/// The same from an open descriptor; `path` is for the message.
std::string read_fd(int fd, const std::string& path);
/// Calls `take` with each line of a file, without its newline, until it returns false; reads in pieces, so
/// that memory does not grow with the file. Lines longer than 64 KiB are cut. Throws a system error.
void for_each_line(const std::string& path, const std::function<bool(std::string_view)>& take);
/// Writes as many of the bytes as it can and returns their number. If it is less than all, errno is set.
size_t write_part(int fd, std::string_view bytes) noexcept;
/// Writes all bytes. Throws a system error "cannot write PATH".
void write_fd(int fd, std::string_view bytes, const std::string& path);
/// ".NAME." and characters that nobody can guess; ".…" for no name.
std::string temporary_name(const std::string& name);
/// An unpredictable file name in a directory, for a file that replaces another one when it is complete.
class TemporaryFile {
public:
    /// Creates no file. `dir` must outlive the object; `name` is the file to replace, `label` its name in
    /// messages.
    TemporaryFile(const Fd& dir, const std::string& name, std::string label);
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    /// Removes the file if it was not renamed.
    ~TemporaryFile();

    const std::string& name() const noexcept { return temporary_; }
    /// Renames the file over the one that it replaces. Throws a system error.
    void rename();

private:
    const Fd& dir_;
    std::string name_, label_, temporary_;
    bool is_renamed_ = false;
};

/// Replaces `name` below `dir` atomically: a temporary file, fsync'ed, renamed over it; on error nothing is
/// left behind and the old content is kept. `prepare`, if given, is called with the file while it is empty.
/// Throws a system error that names `label`, the file's path.
void replace_file_at(const Fd& dir, const std::string& name, const std::string& label, std::string_view bytes,
                     mode_t mode = 0644, const std::function<void(const Fd&)>& prepare = {});

/// A file mapped for reading for the object's lifetime; the file itself is never written to. A file that
/// shrinks meanwhile raises SIGBUS on access, which the commands survive (utils/shared/sigbus_guard.h);
/// sample files are read with read_file instead.
class MappedFile {
public:
    MappedFile() = default;
    /// Maps the whole file. Throws like open_regular(), or a system error.
    explicit MappedFile(const std::string& path);
    /// The same for an open file, even if its name is gone; `label` is for messages.
    MappedFile(const Fd& fd, const std::string& label);
    MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    std::span<const std::byte> bytes() const noexcept { return bytes_; }
    /// Drops the first `n` bytes from this process's memory. They stay accessible: an access reads them from
    /// the file again.
    void release_first(size_t n) const noexcept;

private:
    std::span<const std::byte> bytes_;
};

/// The bytes of a string as a span; valid while the string is unchanged.
inline std::span<const std::byte> as_bytes(std::string_view text) noexcept {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace op
