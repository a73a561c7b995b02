// SPDX-License-Identifier: GPL-2.0-or-later
// The counts of one sample file: the newest ones, and what each look added. Reads no file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "libop/session/sample_file.h"

namespace op::tool {

/// Looks at a session have numbers that rise by one. A range of them, both ends included; first > last: none.
struct Looks {
    uint64_t first = 1, last = 0;

    bool is_empty() const noexcept { return first > last; }
    bool operator==(const Looks&) const = default;
};

/// Which of a session's samples.
struct Portion {
    enum class Kind : uint8_t {
        nothing,
        looks,        ///< those that came with some looks
        since_base,   ///< those since the baseline; without one, all
        before_base,  ///< those until the baseline
    };
    Kind kind = Kind::nothing;
    Looks looks = {};  ///< for Kind::looks

    bool operator==(const Portion&) const = default;
};

/// The counts of one sample file by key, in the order of the file.
class FileCounts {
public:
    /// Takes over the file's content at that look, which is later than the one before. What was added since
    /// then belongs to the look, unless `is_known_before`: then it came earlier. False if the file was begun
    /// again meanwhile: then all that it has belongs to the look.
    bool update(const SampleFileContent& content, uint64_t look, bool is_known_before = false);
    /// Forgets which samples came with the looks before that one.
    void forget_before(uint64_t look);
    /// What is counted now becomes the baseline.
    void set_base();
    void clear_base() noexcept;

    /// The samples of a portion.
    uint64_t sum(const Portion& portion) const;
    /// Calls add(index into keys(), samples) for each key of the portion with samples; of a portion of
    /// several looks more than once for a key.
    template <class Add>
    void visit(const Portion& portion, Add add) const;

    /// Keys of a damaged file may repeat.
    const std::vector<uint64_t>& keys() const noexcept { return keys_; }
    const SampleHeader& header() const noexcept { return header_; }
    /// Rises when keys() is not the former list with more behind it.
    uint32_t generation() const noexcept { return generation_; }
    /// The numbers that are kept for the looks; a measure of the memory they take.
    size_t kept() const noexcept;

private:
    /// What one key gained.
    struct Gain {
        uint32_t key;  ///< index into keys_
        uint32_t samples;
    };
    /// What one look added. A file without news has none.
    struct LookGains {
        uint64_t look, sum;
        std::vector<Gain> gains;
    };

    bool continues(const std::vector<SampleEntry>& entries) const noexcept;

    SampleHeader header_;
    std::vector<uint64_t> keys_;
    std::vector<uint32_t> totals_;  ///< of each key, as sample files have them
    std::vector<uint32_t> base_;    ///< of the first keys; empty = no baseline
    uint64_t total_ = 0, base_total_ = 0;
    std::deque<LookGains> looks_;  ///< in order
    uint32_t generation_ = 0;
};

template <class Add>
void FileCounts::visit(const Portion& portion, Add add) const {
    if (portion.kind == Portion::Kind::looks) {
        for (const LookGains& one : looks_)
            if (one.look >= portion.looks.first && one.look <= portion.looks.last)
                for (const Gain& gain : one.gains)
                    add(gain.key, uint64_t{gain.samples});
    } else if (portion.kind == Portion::Kind::before_base) {
        for (size_t i = 0; i < base_.size(); ++i)
            if (base_[i] > 0) add(static_cast<uint32_t>(i), uint64_t{base_[i]});
    } else if (portion.kind == Portion::Kind::since_base) {
        for (size_t i = 0; i < totals_.size(); ++i) {
            const uint32_t before = i < base_.size() ? base_[i] : 0;
            if (totals_[i] > before) add(static_cast<uint32_t>(i), uint64_t{totals_[i] - before});
        }
    }
}

}  // namespace op::tool
