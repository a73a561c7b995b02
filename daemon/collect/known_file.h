// SPDX-License-Identifier: GPL-2.0-or-later
// A file that processes have mapped, and when two of them are one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "daemon/source/image_file.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// What is known of a file.
struct KnownFile {
    MappedFileFacts facts;  ///< tgid: of the process looked at
    bool is_found = false;
    bool is_earlier = false;         ///< of an earlier run, and not seen in this one
    FileIdentity id = {};            ///< as stat(2) gives it, if it was found
    int64_t changed = 0;             ///< change time, ns since the epoch, if it was found
    bool has_own_word_size = false;  ///< it was found, and is an ELF file of the recorder's word size
    bool is_of_host = false;         ///< it belongs to root or the recorder's user, at its path here
    uint64_t looked_at = 0;          ///< when it was last found unchanged, sample time
    RecordedImage recorded = {};
    bool is_replaced = false;  ///< it is elsewhere, but was at its path
    bool is_pending = false;   ///< it was not found, or not kept, in the processes looked at
    uint32_t searches = 0;     ///< in further processes
    uint64_t next_search = 0;  ///< not before, monotonic ns

    /// Nothing is known but its path.
    bool is_blank() const;
    /// Both are the same file as far as is known: by build-id, else by inode and change time or content, else
    /// by what the kernel or an earlier run recorded.
    bool is_same(const KnownFile& other) const;
    /// It was found, and changed after the other was mapped.
    bool is_newer(const KnownFile& other) const;
    /// Bytes that it takes in the manifest at most.
    uint64_t cost() const;
};

/// Bytes that an image with these texts takes in the manifest at most.
uint64_t manifest_cost(std::initializer_list<std::string_view> texts);

}  // namespace op::collect
