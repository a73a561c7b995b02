// SPDX-License-Identifier: GPL-2.0-or-later
// A sample file open for counting: gathers samples into batches for its table.
#include "libop/session/sample_file.h"

#include "libop/session/sample_file_open.h"
#include "libop/session/sample_file_table.h"

namespace op {

SampleFile::SampleFile(const Fd& dir, const std::string& name, const SampleHeader& header,
                       std::string_view label, Diagnostics& notes, const AccessPolicy& policy)
    : table_(open_sample_table({dir, name, std::string(label), policy}, header, notes)) {}

SampleFile::SampleFile(SampleFile&& other) noexcept
    : table_(std::move(other.table_)), pending_(std::exchange(other.pending_, 0)), keys_(other.keys_) {}

SampleFile& SampleFile::operator=(SampleFile&& other) noexcept {
    if (this == &other) return *this;
    drain();
    table_ = std::move(other.table_);
    pending_ = std::exchange(other.pending_, 0);
    keys_ = other.keys_;
    return *this;
}

SampleFile::~SampleFile() {
    drain();
}

void SampleFile::add(uint64_t key, uint32_t samples) noexcept {
    drain();
    if (table_) table_->add(key, samples);
}

void SampleFile::drain() noexcept {
    const size_t n = std::exchange(pending_, 0);
    if (!table_) return;
    if (n == keys_.size()) return table_->add_each(keys_);
    for (size_t k = 0; k < n; ++k)
        table_->add(keys_[k], 1);
}

void SampleFile::flush() noexcept {
    drain();
    if (table_) table_->retry_growth();
}

void SampleFile::limit_growth(ByteRoom& room) noexcept {
    if (table_) table_->limit_growth(room);
}

SampleFileCounts SampleFile::flush_and_count() noexcept {
    flush();
    return table_ ? table_->counts() : SampleFileCounts{};
}

uint32_t SampleFile::size() const noexcept {
    return table_ ? table_->size() : 0;
}

}  // namespace op
