// SPDX-License-Identifier: GPL-2.0-or-later
// Copying binaries into a session. Their bytes are not looked at.
#include "libop/session/kept_images.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {
namespace {

/// Build-ids have at most 20 bytes; longer ones are of other tools.
constexpr size_t most_digits = 128;

bool is_build_id(const std::string& text) {
    return !text.empty() && text.size() <= most_digits &&
           text.find_first_not_of("0123456789abcdef") == text.npos;
}

/// The first `size` bytes of a file, fewer if it is shorter.
std::string read_part(const Fd& file, size_t size) {
    std::string bytes(size, '\0');
    size_t have = 0;
    while (have < size) {
        const ssize_t n = ::pread(file.get(), bytes.data() + have, size - have, static_cast<off_t>(have));
        if (n <= 0) break;
        have += static_cast<size_t>(n);
    }
    bytes.resize(have);
    return bytes;
}

/// Not synced to disk: the recorder may not wait for that while samples come in. After a crash of the machine
/// the copy may be cut off, and is then made again.
void write_copy(const Fd& dir, const std::string& name, const std::string& label, const std::string& bytes,
                const AccessPolicy& policy) {
    TemporaryFile temporary(dir, name, label);
    const Fd copy =
        open_at(dir, temporary.name().c_str(), O_WRONLY | O_CREAT | O_EXCL, policy.first_file_mode());
    if (!copy) throw_system("cannot create " + label);
    policy.finish(copy);
    write_fd(copy.get(), bytes, label);
    temporary.rename();
}

}  // namespace

std::optional<uint64_t> keep_image(const Fd& session, const std::string& label, const std::string& build_id,
                                   const Fd& file, uint64_t limit, const AccessPolicy& policy) {
    struct stat st {};
    if (!is_build_id(build_id) || ::fstat(file.get(), &st) != 0 || !S_ISREG(st.st_mode)) return std::nullopt;
    const auto size = static_cast<uint64_t>(st.st_size);
    if (size == 0 || size > std::min(limit, kept_image_limit)) return std::nullopt;
    const std::string path = label + "/" + kept_images_dir;
    const Fd dir = open_directory_at(session, kept_images_dir, path, true, policy);
    struct stat kept {};
    if (::fstatat(dir.get(), build_id.c_str(), &kept, AT_SYMLINK_NOFOLLOW) == 0 &&
        static_cast<uint64_t>(kept.st_size) >= size)
        return 0;
    write_copy(dir, build_id, printable(path) + "/" + build_id, read_part(file, size), policy);
    return size;
}

uint64_t kept_image_bytes(const Fd& session, const std::string& label) {
    const Fd dir = open_at(session, kept_images_dir, O_RDONLY | O_DIRECTORY);
    if (!dir && errno == ENOENT) return 0;
    if (!dir) throw_system("cannot open directory " + printable(label) + "/" + kept_images_dir);
    uint64_t sum = 0;
    for (const DirectoryEntry& entry : read_directory(open_at(dir, ".", O_RDONLY | O_DIRECTORY), label)) {
        struct stat st {};
        if (::fstatat(dir.get(), entry.name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0)
            sum += static_cast<uint64_t>(st.st_size);
    }
    return sum;
}

std::optional<std::string> find_kept_image(const std::string& session_path, const std::string& build_id) {
    if (!is_build_id(build_id)) return std::nullopt;
    std::string path = session_path + "/" + kept_images_dir + "/" + build_id;
    return is_regular_file(path) ? std::optional(std::move(path)) : std::nullopt;
}

}  // namespace op
