// SPDX-License-Identifier: GPL-2.0-or-later
// Reading and writing the driver's files, and what its refusals mean.
#include "daemon/driver/oprofilefs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

/// "3/count" -> "3"; empty for files that belong to no counter.
std::string counter_of(const std::string& file) {
    const std::string counter = file.substr(0, file.find('/'));
    return counter != file && parse_number(counter) ? counter : std::string();
}

std::optional<uint64_t> parse_file_number(const std::string& text, const std::string& path) {
    const auto value = parse_number(text);
    if (!value) throw_input(path + " holds no number but \"" + printable(text) + "\"");
    return value;
}

}  // namespace

Fd Oprofilefs::open(const std::string& file, int flags) const noexcept {
    const Fd root(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    return root ? open_at(root, file.c_str(), flags) : Fd();
}

bool Oprofilefs::present() const {
    return static_cast<bool>(open("stream_version", O_PATH));
}

std::string Oprofilefs::text(const std::string& file) const {
    const Fd fd = open(file, O_RDONLY);
    if (!fd) refuse("cannot read " + path(file), file, errno);
    std::string text = read_fd(fd.get(), path(file));
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

uint64_t Oprofilefs::number(const std::string& file) const {
    return *parse_file_number(text(file), path(file));
}

std::optional<uint64_t> Oprofilefs::find_number(const std::string& file) const {
    try {
        return number(file);
    } catch (const Error& e) {
        if (e.code() == ENOENT || e.code() == ENOTDIR) return std::nullopt;
        throw;
    }
}

void Oprofilefs::set(const std::string& file, uint64_t value) const {
    const Fd fd = open(file, O_WRONLY | O_TRUNC);
    if (!fd) refuse(cannot_write(file, value), file, errno);
    set(fd, file, value);
}

Fd Oprofilefs::open_to_write(const std::string& file) const {
    Fd fd = open(file, O_WRONLY);
    if (!fd) refuse("cannot open " + path(file), file, errno);
    return fd;
}

void Oprofilefs::set(const Fd& opened, const std::string& file, uint64_t value) const {
    const std::string line = std::to_string(value) + "\n";
    ssize_t written = 0;
    do
        written = ::pwrite(opened.get(), line.data(), line.size(), 0);
    while (written < 0 && errno == EINTR);
    if (written < 0) refuse(cannot_write(file, value), file, errno);
}

std::string Oprofilefs::cannot_write(const std::string& file, uint64_t value) const {
    return "cannot write " + std::to_string(value) + " to " + path(file);
}

Fd Oprofilefs::open_buffer() const {
    Fd fd = open("buffer", O_RDONLY | O_NONBLOCK);
    if (!fd) refuse("cannot open " + path("buffer"), "buffer", errno);
    return fd;
}

std::vector<uint64_t> Oprofilefs::enabled_files(const std::string& directory) const {
    std::vector<uint64_t> numbers;
    const std::string above = path(directory.substr(0, directory.rfind('/') + 1));
    const std::string prefix = directory.substr(directory.rfind('/') + 1);
    Fd fd(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return numbers;
    for (const DirectoryEntry& entry : read_directory(std::move(fd), above)) {
        if (!entry.name.starts_with(prefix)) continue;
        const auto number = parse_number(entry.name.substr(prefix.size()));
        if (!number || *number > UINT16_MAX || prefix + std::to_string(*number) != entry.name) continue;
        if (open(directory + std::to_string(*number) + "/enabled", O_PATH)) numbers.push_back(*number);
    }
    std::ranges::sort(numbers);
    return numbers;
}

std::vector<int> Oprofilefs::counters() const {
    const std::vector<uint64_t> numbers = enabled_files("");
    return {numbers.begin(), numbers.end()};
}

std::vector<uint64_t> Oprofilefs::timers() const {
    return enabled_files("timer/cpu");
}

void Oprofilefs::refuse(const std::string& what, const std::string& file, int error) const {
    const std::string hint = remedy(file, error);
    throw Error(ErrorKind::system, what + ": " + errno_text(error) + (hint.empty() ? "" : ": " + hint),
                error);
}

std::string Oprofilefs::remedy(const std::string& file, int error) const {
    switch (error) {
        case EACCES:
        case EPERM:
            return file == "buffer" ? "needs CAP_PERFMON or root" : "run as root";
        case EBUSY:
            return why_busy(file);
        case EINVAL:
            return why_invalid(file);
        case EIO:
            return file == "enable" ? "a counter did not take its event; does this processor have it?" : "";
        case ENOENT:
        case ENOTDIR:
            return present() ? "the driver has no such file"
                             : std::string(no_driver) + "; run opcontrol --init";
        default:
            return {};
    }
}

std::string Oprofilefs::why_busy(const std::string& file) const {
    const std::string free_counters =
        "the counters are taken; end other profilers, or switch the NMI watchdog off (sysctl "
        "kernel.nmi_watchdog=0)";
    if (file == "buffer")
        return "another program has it open, an oprofiled perhaps, so stop that first; or " + free_counters;
    if (file == "enable") return free_counters;
    return "fixed while profiling; stop that first (opcontrol --shutdown)";
}

std::string Oprofilefs::why_invalid(const std::string& file) const {
    if (file == "enable") return "no counter is enabled, or nobody has the buffer open";
    if (file == "buffer") return "buffer_watershed must be less than buffer_size";
    const std::string counter = counter_of(file);
    if (!counter.empty() && file.ends_with("/count")) {
        const auto least = find_number(counter + "/min_count");
        if (least) return "the least count is " + std::to_string(*least);
    }
    return "the driver does not accept this value";
}

}  // namespace op::collect
