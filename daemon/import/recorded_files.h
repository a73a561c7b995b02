// SPDX-License-Identifier: GPL-2.0-or-later
// The build-ids of mapped files that a recording does not name: a recording of this machine may have been
// made of files that are still there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "daemon/source/image_file.h"
#include "libop/stream/record.h"

namespace op::collect {

/// The bytes of a build-id from its hexadecimal digits.
std::string bytes_of_hex(std::string_view text);

/// Looks each file up once. Not thread-safe.
class RecordedFiles {
public:
    /// `recorded` = when the recording began, ns since the epoch: a file that has changed since is another
    /// one. 0 = the recording is of another machine: nothing is looked up.
    explicit RecordedFiles(uint64_t recorded) : recorded_(recorded) {}

    /// The build-id of the file of a mapping, if the file at its path has the device and inode of the mapping
    /// and has not changed; else empty. Valid as long as the object.
    std::span<const std::byte> build_id(const Mapping& mapping);

private:
    static constexpr size_t most = 4096;  ///< a recording may name any number

    uint64_t recorded_;
    std::map<std::string, std::string> known_;  ///< bytes of build-ids
    SearchLimit search_;
};

}  // namespace op::collect
