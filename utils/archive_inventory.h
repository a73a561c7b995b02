// SPDX-License-Identifier: GPL-2.0-or-later
// Which binaries, debug files and sources belong in an archive. A session may name any file of the machine
// that the archive is made on: what is not surely of the profile is left out with a note.
#pragma once

#include <map>
#include <string>

#include "utils/load_profile.h"
#include "utils/shared/checked_file.h"

namespace op::tool {

/// One file of the archive.
struct ArchiveItem {
    std::string source;  ///< path on this machine
    std::string target;  ///< path in the archive
    auto operator<=>(const ArchiveItem&) const = default;
};

/// The files, each as it was when it was found to belong there.
using ArchiveItems = std::map<ArchiveItem, CheckedFile>;

struct InventoryOptions {
    bool trusts_path = false;       ///< binaries of another build and private ones are taken, too
    bool includes_sources = false;  ///< also the sources that samples lie in
};

/// Finds the files for the samples that are loaded. Of the files of an image (see pp::ImageCandidates) it
/// takes the first that is the profiled build, and is public, the user's own (unless he is root) or of a
/// build-id that the session knows.
ArchiveItems find_archive_items(LoadedProfile& loaded, const InventoryOptions& options);

}  // namespace op::tool
