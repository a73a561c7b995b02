// SPDX-License-Identifier: GPL-2.0-or-later
// The driver's files (doc/DRIVER.md): numbers and texts by name, and the buffer. Knows the meaning of the
// numbers only for the remedies in its messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libop/base/fd.h"

namespace op::collect {

/// Why there are no files of the driver, for messages.
inline constexpr const char* no_driver = "the driver is not loaded or not mounted";

/// An oprofilefs, mounted or not. File names are relative to its root, e.g. "0/count". Nothing is cached:
/// every call reads or writes the driver's files. Errors name the file, the value and the remedy, if known.
class Oprofilefs {
public:
    explicit Oprofilefs(std::string root = "/dev/oprofile") : root_(std::move(root)) {}

    /// True if the driver's files are there.
    bool present() const;
    /// The number in a file. Throws a system error; an input error if it holds no number.
    uint64_t number(const std::string& file) const;
    /// The same; none if there is no such file.
    std::optional<uint64_t> find_number(const std::string& file) const;
    /// The text of a file without the newline at its end. Throws a system error.
    std::string text(const std::string& file) const;
    /// Writes a number. Throws a system error with the driver's errno: EINVAL, EBUSY, EACCES ...
    void set(const std::string& file, uint64_t value) const;
    /// Opens a file so that set() can write it after this process has lost the permission to open it. Throws
    /// a system error.
    Fd open_to_write(const std::string& file) const;
    void set(const Fd& opened, const std::string& file, uint64_t value) const;
    /// Opens `buffer` for reading without waiting. Throws a system error.
    Fd open_buffer() const;
    /// The numbers N for which there is N/enabled, ascending; empty if the driver is not there.
    std::vector<int> counters() const;
    /// The numbers N for which there is timer/cpuN/enabled, ascending; empty if there are none.
    std::vector<uint64_t> timers() const;

    /// The reason and the remedy when an operation on the file fails with that errno; empty if unknown.
    std::string remedy(const std::string& file, int error) const;

    const std::string& root() const { return root_; }

private:
    /// The numbers N for which there is DIRECTORY with N appended and in it `enabled`, ascending.
    std::vector<uint64_t> enabled_files(const std::string& directory) const;
    std::string path(const std::string& file) const { return root_ + "/" + file; }
    /// Empty, with errno set, on failure.
    Fd open(const std::string& file, int flags) const noexcept;
    std::string cannot_write(const std::string& file, uint64_t value) const;
    [[noreturn]] void refuse(const std::string& what, const std::string& file, int error) const;
    std::string why_busy(const std::string& file) const;
    std::string why_invalid(const std::string& file) const;

    std::string root_;
};

}  // namespace op::collect
