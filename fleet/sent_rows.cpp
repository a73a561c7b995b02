// SPDX-License-Identifier: GPL-2.0-or-later
// A digest of 64 bits may be that of two rows, of which the second is then not sent. With 100,000 rows that
// happens once in 3e9 slices; the server's sums are others then, and everything is sent again. So it is a
// fast one, not a cryptographic one: each push makes one of each row.
#include "fleet/sent_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "libop/base/checksum.h"
#include "libop/base/fd.h"

namespace op::fleet {
namespace {

constexpr std::string_view magic = "OPFR";
constexpr size_t version = 1, head_size = 16, block_head_size = 8, row_size = 16;
/// Of a file that is written as a whole.
constexpr size_t rows_of_block = 1U << 16;
/// Rows for which there is room at once; many blocks of a file replace others.
constexpr size_t most_reserved = 1U << 16;

/// Of `size` bytes, at most 8.
uint64_t number_at(std::string_view bytes, size_t at, size_t size = 8) {
    uint64_t number = 0;
    std::memcpy(&number, bytes.data() + at, size);
    return little_endian(number);
}

uint64_t mixed(uint64_t digest, uint64_t number) {
    digest = (digest ^ number) * 0x9e3779b97f4a7c15;
    digest = (digest ^ digest >> 29) * 0xbf58476d1ce4e5b9;
    return digest ^ digest >> 32;
}

/// Continues a digest.
uint64_t mixed(uint64_t digest, std::string_view bytes) {
    size_t at = 0;
    for (; bytes.size() - at >= 8; at += 8)
        digest = mixed(digest, number_at(bytes, at));
    return mixed(mixed(digest, number_at(bytes, at, bytes.size() - at)), bytes.size());
}

}  // namespace

// Keys are digests, but a damaged file may have others.
size_t CountsByKey::place_of(uint64_t key) const {
    size_t at = (key * 0x9e3779b97f4a7c15 >> 32) & (places_.size() - 1);
    while (places_[at].count != 0 && places_[at].key != key)
        at = (at + 1) & (places_.size() - 1);
    return at;
}

uint64_t CountsByKey::count_of(uint64_t key) const {
    return places_.empty() ? 0 : places_[place_of(key)].count;
}

void CountsByKey::reserve(size_t rows) {
    const size_t places = std::bit_ceil(std::max<size_t>(2 * rows, 64));
    if (places <= places_.size()) return;
    const auto before = std::exchange(places_, std::vector<SentRow>(places, SentRow{0, 0}));
    for (const SentRow& row : before)
        if (row.count != 0) places_[place_of(row.key)] = row;
}

void CountsByKey::raise(const SentRow& row) {
    if (row.count == 0) return;
    if (2 * (size_ + 1) > places_.size()) reserve(2 * (size_ + 1));
    SentRow& place = places_[place_of(row.key)];
    if (place.count == 0) ++size_;
    place = {row.key, std::max(place.count, row.count)};
}

void CountsByKey::clear() {
    places_.clear();
    size_ = 0;
}

SentRow sent_row(const Table& table, std::string_view row) {
    const uint64_t of_table = mixed(0, table.name);
    if (table.newest.empty()) return {mixed(of_table, row), 1};
    constexpr size_t last_size = 8;  // the count or version
    const size_t key_size = row.size() - last_size;
    const uint64_t key = mixed(of_table, row.substr(0, key_size));
    return {key, table.newest == "hits" ? number_at(row, key_size) : 1};
}

std::string SentRows::head(uint64_t slice) {
    RowBinary head;
    head.add_u32(version);
    head.add_u64(slice);
    return std::string(magic) + std::string(head.bytes());
}

std::string SentRows::block(std::span<const SentRow> rows) {
    RowBinary body, head;
    for (const SentRow& row : rows) {
        body.add_u64(row.key);
        body.add_u64(row.count);
    }
    head.add_u32(static_cast<uint32_t>(rows.size()));
    head.add_u32(checksum(as_bytes(body.bytes())));
    return std::string(head.bytes()) + std::string(body.bytes());
}

std::string SentRows::file(uint64_t slice) const {
    std::string bytes = head(slice);
    std::vector<SentRow> rows;
    for (const SentRow& row : counts_.places()) {
        if (row.count == 0) continue;
        rows.push_back(row);
        if (rows.size() < rows_of_block) continue;
        bytes += block(rows);
        rows.clear();
    }
    return rows.empty() ? bytes : bytes + block(rows);
}

size_t SentRows::file_size() const {
    const size_t blocks = (size() + rows_of_block - 1) / rows_of_block;
    return head_size + blocks * block_head_size + size() * row_size;
}

SentRows SentRows::parse(std::string_view file, uint64_t slice) {
    SentRows sent;
    if (!file.starts_with(head(slice))) return sent;
    sent.counts_.reserve(std::min(file.size() / row_size, most_reserved));
    size_t at = head_size;
    while (file.size() - at >= block_head_size) {
        const uint64_t rows = number_at(file, at, 4), sum = number_at(file, at + 4, 4);
        const size_t begin = at + block_head_size, size = rows * row_size;
        if (rows == 0 || size > file.size() - begin || checksum(as_bytes(file.substr(begin, size))) != sum)
            break;
        for (size_t row = begin; row < begin + size; row += row_size) {
            const SentRow one{number_at(file, row), number_at(file, row + 8)};
            sent.add({&one, 1});
        }
        at = begin + size;
    }
    sent.sound_bytes_ = at;
    return sent;
}

bool SentRows::has(const SentRow& row) const {
    const uint64_t count = counts_.count_of(row.key);
    return count != 0 && count >= row.count;
}

void SentRows::add(std::span<const SentRow> rows) {
    for (const SentRow& row : rows)
        counts_.raise(row);
}

void SentRows::clear() {
    counts_.clear();
}

}  // namespace op::fleet
