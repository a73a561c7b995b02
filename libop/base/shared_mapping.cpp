// SPDX-License-Identifier: GPL-2.0-or-later
// Mapping and extending files.
#include "libop/base/shared_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <utility>

#include "libop/base/error.h"

namespace op {

SharedMapping::SharedMapping(const Fd& fd, size_t length, std::string_view label) {
    void* base = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (base == MAP_FAILED) throw_system("cannot map " + std::string(label));
    bytes_ = {static_cast<std::byte*>(base), length};
}

SharedMapping& SharedMapping::operator=(SharedMapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
}

SharedMapping::~SharedMapping() {
    if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

bool SharedMapping::resize(size_t length) noexcept {
    void* base = ::mremap(bytes_.data(), bytes_.size(), length, MREMAP_MAYMOVE);
    if (base == MAP_FAILED) return false;
    bytes_ = {static_cast<std::byte*>(base), length};
    return true;
}

void SharedMapping::drop_pages() noexcept {
    ::madvise(bytes_.data(), bytes_.size(), MADV_DONTNEED);
}

bool reserve_space(const Fd& fd, size_t from, size_t to) noexcept {
    // glibc writes to every block where the file system cannot allocate ahead
    do {
        errno = ::posix_fallocate(fd.get(), from, to - from);
    } while (errno == EINTR);
    return errno == 0;
}

}  // namespace op
