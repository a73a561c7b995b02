// SPDX-License-Identifier: GPL-2.0-or-later
// The symbols of a process's run-time code as an ELF file, which a session has beside the sample files of
// that code. Layout: doc/FORMATS.md, "Code made at run time".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "libop/base/access_policy.h"
#include "libop/base/fd.h"
#include "libop/jit/code_symbols.h"
#include "libop/jit/ordered_bytes.h"
#include "libop/session/sample_path.h"

namespace op {

/// A file is not longer, and has not more symbols; names are cut after so many bytes.
inline constexpr size_t jo_file_limit = size_t{128} << 20, most_jo_symbols = size_t{1} << 20,
                        longest_code_name = size_t{1} << 14;

/// What the code in a file is for.
struct JoTarget {
    uint16_t elf_machine = 0;  ///< e_machine
    NumberLayout layout;
};

/// The processor that this program is built for; always of the 64-bit class, as generations need it.
JoTarget host_jo_target() noexcept;

struct JoFile {
    JoTarget target = host_jo_target();
    CodeMap code;
    bool is_ours = true;  ///< made by make_jo(), not by OProfile
};

/// Leaves out what a file of `limit` bytes cannot hold: first all bytes of code, then all lines, then the
/// last symbols. Returns what that was ("bytes of code, lines and 7 symbols"), empty for nothing.
std::string fit_for_jo(CodeMap& code, size_t limit = jo_file_limit);

/// The bytes of the file. Throws an internal error if the code is not sound or does not fit.
std::string make_jo(const CodeMap& code, const JoTarget& target = host_jo_target());

/// Reads a file of ours or OProfile's. Where OProfile's does not give a symbol's size, it ends where the next
/// one or its section does. Damaged lines are left out. Throws an input error naming `label`.
JoFile parse_jo(std::span<const std::byte> bytes, std::string_view label);

/// The path below samples/<session> of the file for a process of `application`. Throws as mangle().
std::string jo_path(const ImageName& application, uint32_t tgid);
/// The process number in such a path, whatever the directory's label; none for other paths.
std::optional<uint32_t> parse_jo_path(std::string_view path);

/// The file at `path` below `session`, whose path is `label`; none if it does not exist. Throws as
/// read_file_below() and parse_jo().
std::optional<JoFile> read_jo(const Fd& session, const std::string& label, const std::string& path);

/// Makes or replaces the file at `path` atomically, with the directories above it; they get the modes and
/// group of `policy`. Throws a system error, or an input error if the policy refuses a directory; then it
/// leaves no directory that it made.
void write_jo(const Fd& session, const std::string& label, const std::string& path, std::string_view bytes,
              const AccessPolicy& policy = {});

}  // namespace op
