// SPDX-License-Identifier: GPL-2.0-or-later
// Mapping and unpacking binaries.
#include "libpp/object/image_bytes.h"

#include <string_view>

#include "libop/base/gzip.h"
#include "libop/base/unpack.h"

namespace op::pp {

ImageBytes::ImageBytes(const std::string& path) : ImageBytes(open_regular(path), path) {}

ImageBytes::ImageBytes(const Fd& file, const std::string& path) : file_(file, path) {
    const std::string_view packed(reinterpret_cast<const char*>(file_.bytes().data()), file_.bytes().size());
    if (path.ends_with(".gz")) unpacked_ = gunzip(packed, path);
    if (path.ends_with(".xz")) unpacked_ = unxz(packed, path);
    if (path.ends_with(".zst")) unpacked_ = unzstd(packed, path);
}

std::span<const std::byte> ImageBytes::bytes() const noexcept {
    return unpacked_.empty() ? file_.bytes() : as_bytes(unpacked_);
}

}  // namespace op::pp
