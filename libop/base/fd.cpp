// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptors, mappings, whole-file input and output over POSIX calls.
#include "libop/base/fd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "libop/base/error.h"

namespace op {

namespace {

constexpr int regular_flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

std::string random_suffix() {
    uint64_t value = 0;
    if (::getrandom(&value, sizeof value, 0) != sizeof value) throw_system("cannot get random bytes");
    std::string text;
    for (int i = 0; i < 12; ++i, value /= 36)
        text += "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36];
    return text;
}

}  // namespace

void Fd::reset(int fd) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
}

Fd open_file(const std::string& path, int flags, mode_t mode) {
    Fd fd(::open(path.c_str(), flags | O_CLOEXEC, mode));
    if (!fd) throw_system("cannot open " + path);
    return fd;
}

Fd reopen_regular(const Fd& place) noexcept {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", place.get());
    return Fd(::open(path, regular_flags));
}

Fd open_regular(const std::string& path) {
    const Fd place = open_file(path, O_PATH);
    struct stat st {};
    if (::fstat(place.get(), &st) != 0) throw_system("cannot open " + path);
    if (!S_ISREG(st.st_mode)) throw_input(path + ": not a regular file");
    Fd file = reopen_regular(place);
    if (!file && errno == ENOENT)
        file.reset(::open(path.c_str(), regular_flags));  // no /proc, or the name is gone
    if (!file) throw_system("cannot open " + path);
    if (::fstat(file.get(), &st) != 0 || !S_ISREG(st.st_mode)) throw_input(path + ": not a regular file");
    return file;
}

Fd open_at(const Fd& dir, const char* name, int flags, mode_t mode) noexcept {
    return Fd(::openat(dir.get(), name, flags | O_CLOEXEC | O_NOFOLLOW, mode));
}

void occupy_standard_descriptors() noexcept {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(fd, F_GETFD) < 0) ::open("/", O_PATH | O_CLOEXEC);  // gets the lowest free number
}

bool is_regular_file(const std::string& path) noexcept {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode);
}

bool is_same_file(const struct stat& one, const struct stat& other) noexcept {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

std::string read_fd(int fd, const std::string& path) {
    std::string out;
    struct stat st {};
    const bool has_size = ::fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    if (has_size) out.reserve(st.st_size + 1);
    constexpr size_t chunk = 1 << 16;
    for (;;) {
        const size_t old = out.size();
        const bool is_room = has_size && out.capacity() > old;  // small files need no chunk of zeros
        out.resize(is_room ? out.capacity() : std::max(out.capacity(), old + chunk));
        const ssize_t n = ::read(fd, out.data() + old, out.size() - old);
        if (n < 0 && errno != EINTR) throw_system("cannot read " + path);
        out.resize(old + (n > 0 ? n : 0));
        if (n == 0) return out;
    }
}

std::string read_file(const std::string& path) {
    return read_fd(open_file(path, O_RDONLY).get(), path);
}

std::optional<std::string> read_file_if_any(const std::string& path) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd) return read_fd(fd.get(), path);
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw_system("cannot open " + path);
}

void for_each_line(const std::string& path, const std::function<bool(std::string_view)>& take) {
    const Fd fd = open_file(path, O_RDONLY);
    std::string buffer(1 << 16, '\0');
    size_t kept = 0;  // start of a line whose end is not read yet
    for (;;) {
        const ssize_t n = ::read(fd.get(), buffer.data() + kept, buffer.size() - kept);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_system("cannot read " + path);
        std::string_view rest(buffer.data(), kept + n);
        for (size_t end; (end = rest.find('\n')) != rest.npos; rest.remove_prefix(end + 1))
            if (!take(rest.substr(0, end))) return;
        const bool full = rest.size() == buffer.size();
        if ((n == 0 || full) && !rest.empty() && !take(rest)) return;
        if (n == 0) return;
        kept = full ? 0 : rest.copy(buffer.data(), rest.size());
    }
}

size_t write_part(int fd, std::string_view bytes) noexcept {
    size_t written = 0;
    while (written < bytes.size()) {
        const ssize_t n = ::write(fd, bytes.data() + written, bytes.size() - written);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        written += n;
    }
    return written;
}

void write_fd(int fd, std::string_view bytes, const std::string& path) {
    if (write_part(fd, bytes) != bytes.size()) throw_system("cannot write " + path);
}

std::string temporary_name(const std::string& name) {
    return "." + name + (name.empty() ? "" : ".") + random_suffix();
}

TemporaryFile::TemporaryFile(const Fd& dir, const std::string& name, std::string label)
    : dir_(dir), name_(name), label_(std::move(label)), temporary_(temporary_name(name_)) {}

TemporaryFile::~TemporaryFile() {
    if (!is_renamed_) ::unlinkat(dir_.get(), temporary_.c_str(), 0);
}

void TemporaryFile::rename() {
    if (::renameat(dir_.get(), temporary_.c_str(), dir_.get(), name_.c_str()) != 0)
        throw_system("cannot replace " + label_);
    is_renamed_ = true;
}

void replace_file_at(const Fd& dir, const std::string& name, const std::string& label, std::string_view bytes,
                     mode_t mode, const std::function<void(const Fd&)>& prepare) {
    TemporaryFile temporary(dir, name, label);
    const Fd fd = open_at(dir, temporary.name().c_str(), O_WRONLY | O_CREAT | O_EXCL, mode);
    if (!fd) throw_system("cannot create " + label);
    if (prepare) prepare(fd);
    write_fd(fd.get(), bytes, label);
    if (::fsync(fd.get()) != 0) throw_system("cannot write " + label);
    temporary.rename();
}

MappedFile::MappedFile(const std::string& path) : MappedFile(open_regular(path), path) {}

MappedFile::MappedFile(const Fd& fd, const std::string& path) {
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0) throw_system("cannot stat " + path);
    if (!S_ISREG(st.st_mode)) throw_input(path + ": not a regular file");
    if (st.st_size == 0) return;
    void* base = ::mmap(nullptr, st.st_size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (base == MAP_FAILED) throw_system("cannot map " + path);
    bytes_ = {static_cast<const std::byte*>(base), static_cast<size_t>(st.st_size)};
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
}

void MappedFile::release_first(size_t n) const noexcept {
    const size_t page = ::sysconf(_SC_PAGESIZE);
    n = std::min(n, bytes_.size()) / page * page;
    if (n > 0) ::madvise(const_cast<std::byte*>(bytes_.data()), n, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace op
