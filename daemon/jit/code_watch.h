// SPDX-License-Identifier: GPL-2.0-or-later
// What a collector reports of code made at run time, and where its samples in such code wait until it is
// known which code ran.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "daemon/jit/held_samples.h"
#include "libop/base/file_identity.h"

namespace op::collect {

/// Not thread-safe.
class CodeWatch {
public:
    /// Entries of samples that wait, of all processes. 24 bytes each.
    static constexpr size_t most_held = size_t{1} << 20;
    /// Returns the run-time addresses of a sample, at least one, valid until the next call.
    using AddressesOf = std::function<std::span<const uint64_t>(const HeldSample&)>;
    /// Gets a sample back with the generation of the code at each of its addresses.
    using StoreHeld = std::function<void(const HeldSample&, std::span<const uint8_t> generations)>;

    virtual ~CodeWatch() = default;

    /// Must be called before hold().
    void store_held_by(AddressesOf addresses_of, StoreHeld store) {
        addresses_of_ = std::move(addresses_of);
        store_ = std::move(store);
    }
    /// The process runs code in memory without a file; `program` is the path of its executable, empty if that
    /// is not known. Its sample is stored by its plain address, whatever code was there then.
    virtual void note(uint32_t tgid, std::string_view program) = 0;
    /// The process has mapped a file. A jitdump is found by that, from the mapping on.
    virtual void note_mapping(uint32_t tgid, std::string_view path, const FileIdentity& file,
                              std::string_view program) = 0;
    /// The process has ended, or runs another program from now on.
    virtual void end(uint32_t tgid) = 0;
    /// True if samples of the process can wait until their code is known.
    bool is_to_hold(uint32_t tgid) { return held_of(tgid) != nullptr; }
    /// Keeps such a sample until place(). False if there is no room, or nothing to wait for.
    bool hold(uint32_t tgid, const HeldSample& sample) {
        HeldSamples* const held = held_ < most_held ? held_of(tgid) : nullptr;
        if (held) held_ += held->add(sample);
        return held != nullptr;
    }
    /// Gives the samples back, by what the jitdumps have now. If that takes longer than `limit` they wait for
    /// the next call; if this is the last one they come back with generation 0. To be called before the
    /// session's files are flushed and names are written. Never throws.
    virtual void place(std::chrono::milliseconds limit, bool is_last) noexcept = 0;
    bool is_holding_none() const noexcept { return held_ == 0; }
    bool is_holding_many() const noexcept { return held_ >= most_held / 4; }
    /// Forgets what is held.
    virtual void drop_held() = 0;

protected:
    /// Where samples of the process wait; null = they do not.
    virtual HeldSamples* held_of(uint32_t tgid) = 0;

    AddressesOf addresses_of_;
    StoreHeld store_;
    size_t held_ = 0;  ///< entries of all processes
};

}  // namespace op::collect
