// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: parse the bytes as a sample file; open them for counting, count, and check that the file is
// sound and holds what it held and what was added; then count while somebody else writes to it.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "libop/base/bytes.h"
#include "libop/base/error.h"
#include "libop/session/sample_file.h"
#include "tests/fuzz/work_dir.h"

namespace {

constexpr uint64_t added_keys = 40;

void require(bool claim) {
    if (!claim) ::abort();
}

std::optional<op::SampleFileContent> parse(std::span<const std::byte> bytes, op::Diagnostics& notes) {
    try {
        return op::parse_sample_file(bytes, "fuzz", notes);
    } catch (const op::Error& error) {
        require(error.kind() == op::ErrorKind::input);
        return std::nullopt;
    }
}

std::map<uint64_t, uint64_t> sums(const std::optional<op::SampleFileContent>& content) {
    std::map<uint64_t, uint64_t> sums;
    if (content)
        for (const op::SampleEntry& entry : content->entries)
            sums[entry.key] += entry.count;
    return sums;
}

void add_to(std::map<uint64_t, uint64_t>& counts, const op::fuzz::WorkDir& dir) {
    op::Diagnostics notes;
    op::SampleFile file(dir.fd(), "f", {}, "fuzz", notes);
    for (uint64_t key = 0; key < added_keys; ++key) {
        file.add(key * 3);
        ++counts[key * 3];
    }
    const op::SampleFileCounts done = file.flush_and_count();
    require(done.stored + done.lost_saturated == added_keys && done.lost_no_space == 0);
    require(file.size() >= counts.size());
}

/// Counts while words are written into the file, at places and with values from the bytes. Whatever becomes
/// of the counts, nothing is led astray.
void add_beside_writer(std::span<const std::byte> bytes, const op::fuzz::WorkDir& dir) {
    constexpr size_t step = sizeof(uint16_t) + sizeof(uint32_t), most_steps = 64;
    op::Diagnostics notes;
    op::SampleFile file(dir.fd(), "f", {}, "fuzz", notes);
    const op::Fd other = op::open_file(dir / "f", O_RDWR);
    const auto words = static_cast<size_t>(::lseek(other.get(), 0, SEEK_END)) / sizeof(uint32_t);
    op::ByteReader in(bytes, "fuzz");
    for (uint64_t i = 0; i < std::min(bytes.size() / step, most_steps); ++i) {
        const auto place = static_cast<off_t>(in.get<uint16_t>() % words * sizeof(uint32_t));
        const auto value = in.get<uint32_t>();
        require(::pwrite(other.get(), &value, sizeof value, place) == sizeof value);
        for (uint64_t key = 0; key < added_keys; ++key)
            file.add(key * i);
        file.add(i * 7, 3);
    }
    file.flush();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const op::fuzz::WorkDir dir;
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    op::Diagnostics damaged, sound;
    std::map<uint64_t, uint64_t> counts = sums(parse(bytes, damaged));
    {
        const op::Fd fd = op::open_file(dir / "f", O_WRONLY | O_CREAT | O_TRUNC);
        op::write_fd(fd.get(), {reinterpret_cast<const char*>(data), size}, dir / "f");
    }
    add_to(counts, dir);
    const std::string after = op::read_file(dir / "f");
    const std::map<uint64_t, uint64_t> stored = sums(parse(op::as_bytes(after), sound));
    require(sound.warnings().empty() && stored.size() == counts.size());
    for (const auto& [key, count] : counts)
        require(stored.at(key) == count || stored.at(key) >= UINT32_MAX);
    add_beside_writer(bytes, dir);
    return 0;
}
