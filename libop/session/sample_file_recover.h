// SPDX-License-Identifier: GPL-2.0-or-later
// Checks a sample file found on disk: sound enough to count in, or with entries to rebuild it from.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "libop/session/sample_file.h"

namespace op {

/// True if the bytes are a sample file of version 0x13 in which every node is on the chain of its bucket
/// exactly once, so that a SampleTable can take it over. Linear in the file's length.
bool is_sound_sample_file(std::span<const std::byte> bytes);

/// The readable part of a sample file.
struct SalvagedSamples {
    SampleFileContent content;
    std::string fault;           ///< the inconsistency, as the end of a sentence about the file; may be empty
    bool is_header_cut = false;  ///< content has nothing but the version
    bool is_growing = false;     ///< as long as the next size: caught, or left, in the middle of growing
};

/// Reads the sound entries: those within the file and the used slots with a count other than 0. Throws an
/// input error naming `label` if the bytes are not a sample file of this byte order and a known version.
SalvagedSamples salvage_samples(std::span<const std::byte> bytes, std::string_view label);

}  // namespace op
