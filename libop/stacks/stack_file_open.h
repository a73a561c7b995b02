// SPDX-License-Identifier: GPL-2.0-or-later
// Opens a file of a set of stacks for writing, whatever state it is in.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "libop/base/access_policy.h"
#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/base/shared_mapping.h"
#include "libop/stacks/stack_file.h"

namespace op {

/// The place of a file, its name in messages, and what it holds.
struct StackFilePlace {
    const Fd& dir;
    std::string name;
    std::string label;
    const AccessPolicy& policy;
    StackFileKind kind;
};

/// True if there may be such an entry of that number.
using StackEntryCheck = std::function<bool(uint32_t number, uint64_t entry)>;

/// A file without unused bytes at its end.
struct OpenStackFile {
    Fd file;
    SharedMapping map;  ///< of all its bytes
    uint32_t used;      ///< entries
    bool is_intact;     ///< it was there, with all entries that it should have had
};

/// Opens the file (never through a symbolic link), made if it is missing. It ends before its first entry that
/// the check refuses, with a warning; a file that is not one of this kind, byte order and version is renamed
/// to NAME.damaged, with a warning, and replaced by a new one. Throws a system error, or an input error if
/// the policy refuses the file.
OpenStackFile open_stack_file(const StackFilePlace& at, const StackEntryCheck& check, Diagnostics& notes);

/// Takes the bytes behind the entries off the file. Returns false if that failed, which is harmless.
bool trim_stack_file(const Fd& file, uint32_t entries) noexcept;

}  // namespace op
