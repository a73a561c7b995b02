// SPDX-License-Identifier: GPL-2.0-or-later
// What a sample file found on disk is worth: fit to count in, or the entries to rebuild it from.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "libop/session/sample_file.h"

namespace op {

/// Whether the bytes are a sample file of version 0x13 in which every node is on the chain of its bucket
/// exactly once, so that a SampleTable can take it over. Linear in the file's length.
bool is_sound_sample_file(std::span<const std::byte> bytes);

/// What can be read of a sample file.
struct SalvagedSamples {
    SampleFileContent content;
    std::string fault;  ///< what is inconsistent, as the end of a sentence about the file; may be empty
    bool is_header_cut = false;  ///< content has nothing but the version
    bool is_growing = false;     ///< as long as the next size: caught, or left, in the middle of growing
};

/// Reads the sound entries: within the file and the used slots, count not 0. Throws an input error naming
/// `label` if the bytes are no sample file of this byte order, or of an unknown version.
SalvagedSamples salvage_samples(std::span<const std::byte> bytes, std::string_view label);

}  // namespace op
