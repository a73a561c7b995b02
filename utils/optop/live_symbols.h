// SPDX-License-Identifier: GPL-2.0-or-later
// The symbols of the images of a session that is being recorded, and what its manifest reports. Opens an
// image when it is asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/session/session.h"
#include "libpp/symbols/symbolizer.h"

namespace op::tool {

/// Where symbols are looked for, as given on the command line.
struct SymbolPlaces {
    std::string root;
    std::vector<std::string> image_paths;
    std::string vmlinux;
    bool trusts_paths = false;
    pp::BuildIdSource* by_build_id = nullptr;  ///< null = none
};

/// The symbols of an image, whose offsets there are `first_offset` more than those in its sample files.
struct PlacedSymbols {
    pp::ImageSymbols* symbols;  ///< never null
    uint64_t first_offset = 0;
};

/// The symbolizer of the current recording.
class LiveSymbols {
public:
    /// `notes` must outlive the object.
    LiveSymbols(SymbolPlaces places, Diagnostics& notes);
    ~LiveSymbols();

    /// Follows the session: reads its manifest, the kernel's symbols and those of run-time code of the
    /// processes `tgids` where a recorder has written them since the last call. True if symbols that
    /// symbols() returned before are not valid any more.
    bool follow(const SessionReader& session, bool is_another, const std::set<uint32_t>& tgids);
    /// As Symbolizer::symbols(). To be called after follow().
    PlacedSymbols symbols(const ImageName& image, const SampleHeader& header);
    /// The image that these symbols are of: `image`, but for code that was made at run time.
    ImageName place(const ImageName& image) const;
    /// The file that the image's symbols were read from; empty if none was.
    std::string file(const ImageName& image) const;
    /// The manifest; null if there is no readable one.
    const SessionInfo* info() const noexcept { return info_ ? &*info_ : nullptr; }

private:
    struct Opened;
    /// By what a file that is replaced as a whole is known. All zero: there is no file.
    struct FileMark {
        uint64_t inode = 0;
        int64_t changed = 0;

        bool operator==(const FileMark&) const = default;
    };
    static FileMark mark_of(const SessionReader& session, const char* name) noexcept;

    SymbolPlaces places_;
    Diagnostics& notes_;
    std::optional<SessionInfo> info_;
    FileMark manifest_, kallsyms_;  ///< as they were when they were read
    std::set<uint32_t> tgids_;
    std::unique_ptr<Opened> opened_;
};

}  // namespace op::tool
