// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of one slice that a server has accepted: of each a digest of its key, and its count. Format:
// doc/FORMATS.md, "What was pushed". Touches no file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/schema.h"

namespace op::fleet {

/// A row, as far as it has to be known again.
struct SentRow {
    uint64_t key = 0;    ///< digest of the table's name and of all columns before the count or version
    uint64_t count = 1;  ///< its hits; 1 of a table without
};

/// The row of a table, given its bytes in RowBinary.
SentRow sent_row(const Table& table, std::string_view row);

/// The greatest count of each key, none of them 0: a table with room for twice as many, as each push fills
/// one and asks it for every row.
class CountsByKey {
public:
    /// 0 if the key is not there.
    uint64_t count_of(uint64_t key) const;
    /// Adds the key, or gives it this count if it is greater.
    void raise(const SentRow& row);
    void reserve(size_t rows);
    void clear();
    size_t size() const { return size_; }
    /// All keys in no order, between places with count 0.
    std::span<const SentRow> places() const { return places_; }

private:
    size_t place_of(uint64_t key) const;

    std::vector<SentRow> places_;  ///< empty, or a power of two of them
    size_t size_ = 0;
};

/// Rows that were accepted, with the greatest count of each.
class SentRows {
public:
    /// Parses a file of this slice. It ends before the first block that is damaged or cut off; that of
    /// another slice has no rows. sound_bytes() is where it ended: 0 if not even its head is one of this
    /// slice.
    static SentRows parse(std::string_view file, uint64_t slice);
    /// The head of a file.
    static std::string head(uint64_t slice);
    /// What to append to a file for rows that were accepted together.
    static std::string block(std::span<const SentRow> rows);
    /// The whole file of what is here: without what was replaced by greater counts.
    std::string file(uint64_t slice) const;
    /// The size of file() in bytes.
    size_t file_size() const;

    /// True if the server has the row with this count or a greater one.
    bool has(const SentRow& row) const;
    void add(std::span<const SentRow> rows);
    void clear();
    size_t size() const { return counts_.size(); }
    size_t sound_bytes() const { return sound_bytes_; }

private:
    CountsByKey counts_;
    size_t sound_bytes_ = 0;
};

}  // namespace op::fleet
