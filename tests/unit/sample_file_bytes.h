// SPDX-License-Identifier: GPL-2.0-or-later
// Sample files for tests: hand-assembled bytes, and a directory to open one in.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libop/session/sample_file.h"
#include "tests/unit/temp_dir.h"

namespace op::test {

using Entries = std::vector<SampleEntry>;

inline const SampleHeader some_header{.cpu_type = 12,
                                      .event_code = 0x3c,
                                      .unit_mask = 1,
                                      .count = 100000,
                                      .is_kernel = true,
                                      .cpu_speed_mhz = 2.0,
                                      .mtime = 0x0102030405060708,
                                      .cg_to_is_kernel = true,
                                      .anon_start = 0x7f0000001000,
                                      .cg_to_anon_start = 0x7f0000002000};

/// Little-endian bytes, hand-assembled.
class Bytes {
public:
    Bytes& u32(uint64_t value) { return number(value, 4); }
    Bytes& u64(uint64_t value) { return number(value, 8); }
    Bytes& zeros(size_t n) {
        text_.append(n, '\0');
        return *this;
    }
    Bytes& text(std::string_view s) {
        text_ += s;
        return *this;
    }
    operator std::string() const { return text_; }

private:
    Bytes& number(uint64_t value, int n) {
        for (int i = 0; i < n; ++i)
            text_ += static_cast<char>(value >> 8 * i);
        return *this;
    }
    std::string text_;
};

/// Up to and without mtime.
inline Bytes header_start(uint32_t version) {
    Bytes b;
    b.text("DAE\n").u32(version).u32(12).u32(0x3c).u32(1).u32(100000).u32(1);
    return b;
}

inline Bytes header_0x13() {
    Bytes b = header_start(0x13);
    b.u32(0).u64(0x4000000000000000).u64(0x0102030405060708).u32(1).u32(0);
    return b.u64(0x7f0000001000).u64(0x7f0000002000);
}

inline Bytes header_0x12() {
    Bytes b = header_start(0x12);
    b.u32(0).u64(0x4000000000000000).u64(0x0102030405060708).u32(1).u32(0).u64(0xffffffff);
    return b.u64(0x7f0000001000).u64(0x7f0000002000).u32(0).u32(0);
}

/// Four slots, keys 0x10 and 0x11 with 5 and 6 samples, the hash table as it ought to be.
inline std::string four_slots(Bytes header) {
    header.u32(4).u32(3).zeros(24).zeros(16);
    header.u64(0x10).u32(5).u32(0).u64(0x11).u32(6).u32(0).zeros(16);
    return header.u32(1).u32(2).u32(0).u32(0);
}

inline const Entries four_slots_entries = {{0x10, 5}, {0x11, 6}};

inline SampleFileContent parse(const std::string& bytes, Diagnostics& notes) {
    return parse_sample_file(as_bytes(bytes), "F", notes);
}

inline SampleFileContent parse_silently(const std::string& bytes) {
    Diagnostics notes;
    SampleFileContent content = parse(bytes, notes);
    EXPECT_EQ(notes.warnings(), std::vector<std::string>());
    return content;
}

inline void put_u32(std::string& bytes, size_t at, uint32_t value) {
    std::memcpy(&bytes.at(at), &value, 4);
}

/// A directory with one sample file "f" in it.
class Folder {
public:
    SampleFile open(const SampleHeader& header = some_header) { return {dir_, "f", header, "F", notes}; }
    void write(const std::string& bytes) { temp_.write("f", bytes); }
    std::string bytes(const std::string& name = "f") { return read_file(temp_ / name); }
    SampleFileContent content() { return parse_silently(bytes()); }
    std::string path(const std::string& name) const { return temp_ / name; }
    bool has(const std::string& name) const { return ::access(path(name).c_str(), F_OK) == 0; }
    size_t count_files() const {
        return std::distance(std::filesystem::directory_iterator(temp_.path()), {});
    }
    std::map<uint64_t, uint64_t> sums() {
        std::map<uint64_t, uint64_t> sums;
        for (const SampleEntry& entry : content().entries)
            sums[entry.key] += entry.count;
        return sums;
    }

    Diagnostics notes;

private:
    TempDir temp_;
    Fd dir_ = open_file(temp_.path(), O_RDONLY | O_DIRECTORY);
};

/// Files of this process cannot get longer than `bytes` while this lives.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &old_);
        handler_ = ::signal(SIGXFSZ, SIG_IGN);
        set(bytes);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &old_);
        ::signal(SIGXFSZ, handler_);
    }
    void set(rlim_t bytes) const {
        const rlimit limit{bytes, old_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }

private:
    rlimit old_{};
    void (*handler_)(int) = nullptr;
};

}  // namespace op::test
