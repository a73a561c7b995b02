// SPDX-License-Identifier: GPL-2.0-or-later
// Writing a tree of files below one directory.
#include "utils/shared/tree_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::tool {

namespace {

namespace fs = std::filesystem;

constexpr size_t copy_piece = size_t{1} << 18;

/// Bytes [first, end) of a file.
struct Range {
    off_t first, end;
};

/// The next bytes of a file from `from` up to `end` that may be other than zeros; [end, end) = none. Of a
/// file system that does not know its holes, all of them.
Range next_data(const Fd& file, off_t from, off_t end) {
    const off_t data = ::lseek(file.get(), from, SEEK_DATA);
    if (data < 0) return errno == ENXIO ? Range{end, end} : Range{from, end};
    const off_t hole = ::lseek(file.get(), data, SEEK_HOLE);
    return {std::min(data, end), hole < 0 ? end : std::min(hole, end)};
}

/// Copies the first `size` bytes, or as many as there are, to an empty file.
class Copy {
public:
    Copy(const Fd& from, const Fd& to, std::string label, std::string target)
        : from_(from),
          to_(to),
          label_(std::move(label)),
          target_(std::move(target)),
          piece_(copy_piece, '\0') {}

    void run(off_t size) {
        for (off_t at = 0; at < size;) {
            const Range data = next_data(from_, at, size);
            for (at = data.first; at < data.end;) {
                const size_t n = read(at, data.end - at);
                if (n == 0) return set_size(at);
                write(at, std::string_view(piece_).substr(0, n));
                at += static_cast<off_t>(n);
            }
        }
        set_size(size);
    }

private:
    size_t read(off_t at, off_t most) {
        for (;;) {
            const size_t wanted = std::min<uint64_t>(piece_.size(), most);
            const ssize_t n = ::pread(from_.get(), piece_.data(), wanted, at);
            if (n >= 0) return static_cast<size_t>(n);
            if (errno != EINTR) throw_system("cannot read " + label_);
        }
    }
    void write(off_t at, std::string_view bytes) {
        if (bytes.find_first_not_of('\0') == bytes.npos) return;
        if (::lseek(to_.get(), at, SEEK_SET) < 0) throw_system("cannot write " + target_);
        write_fd(to_.get(), bytes, target_);
    }
    void set_size(off_t size) {
        if (::ftruncate(to_.get(), size) != 0) throw_system("cannot write " + target_);
    }

    const Fd &from_, &to_;
    std::string label_, target_, piece_;
};

/// A new file with just that mode. In the sandbox modes of files cannot be changed afterwards.
Fd create_with_mode(const Fd& dir, const std::string& name, mode_t mode) noexcept {
    const mode_t before = ::umask(0);
    Fd file = open_at(dir, name.c_str(), O_WRONLY | O_CREAT | O_EXCL, mode);
    const int fault = errno;
    ::umask(before);
    errno = fault;
    return file;
}

std::string_view relative(std::string_view path) {
    return path.substr(std::min(path.find_first_not_of('/'), path.size()));
}

}  // namespace

TreeWriter::TreeWriter(std::string top, mode_t allowed) : top_(std::move(top)), allowed_(allowed) {
    if (top_ == "-")
        throw_usage("several files do not go to standard output: name a directory ('./-' for one named so)");
    std::error_code error;
    fs::create_directories(top_, error);
    if (error)
        throw_refused("cannot make directory " + printable(top_), "name one where you may make it",
                      error.value());
    if (fs::equivalent(top_, "/", error))
        throw_usage(printable(top_) + " is the root of the file system: name a directory");
    dir_ = open_file(top_, O_RDONLY | O_DIRECTORY);
}

TreeWriter::Place TreeWriter::place(std::string_view path) const {
    Place place{open_at(dir_, ".", O_RDONLY | O_DIRECTORY), "", printable(top_)};
    const std::string plain = fs::path(relative(path)).lexically_normal();
    for (const auto part : split(plain, '/')) {
        if (part.empty() || part == ".") continue;
        if (part == "..") throw_input("not written: " + printable(path) + " leads out of " + printable(top_));
        if (!place.name.empty()) place.dir = open_directory_at(place.dir, place.name, place.label, true);
        place.name = part;
        place.label += "/" + printable(place.name);
    }
    if (place.name.empty()) throw_input("not written below " + printable(top_) + ": a file without a name");
    return place;
}

void TreeWriter::write(std::string_view path, std::string_view bytes, mode_t mode) {
    const Place at = place(path);
    replace_file_at(at.dir, at.name, at.label, bytes, mode);
}

void TreeWriter::copy(const Fd& from, const std::string& label, std::string_view path, uint64_t most) {
    struct stat st {};
    if (::fstat(from.get(), &st) != 0) throw_system("cannot read " + label);
    if (!S_ISREG(st.st_mode)) throw_input(label + " is not a regular file");
    const Place at = place(path);
    TemporaryFile temporary(at.dir, at.name, at.label);
    const Fd to = create_with_mode(at.dir, temporary.name(), st.st_mode & allowed_);
    if (!to) throw_system("cannot create " + at.label);
    Copy(from, to, label, at.label)
        .run(static_cast<off_t>(std::min(static_cast<uint64_t>(st.st_size), most)));
    const std::array<timespec, 2> times{st.st_atim, st.st_mtim};
    if (::futimens(to.get(), times.data()) != 0) throw_system("cannot write " + at.label);
    temporary.rename();
}

}  // namespace op::tool
