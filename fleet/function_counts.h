// SPDX-License-Identifier: GPL-2.0-or-later
// Samples by function: of all builds of a file together, as far as the server knows names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fleet/fleet_images.h"
#include "fleet/selection.h"
#include "fleet/server.h"

namespace op::fleet {

/// A function of all files of one base name: builds, and directories with a version in them, come together.
struct FunctionKey {
    uint32_t file = 0;  ///< index into FunctionFiles
    uint64_t func = 0;  ///< number of its name; 0 = no name is known

    auto operator<=>(const FunctionKey&) const = default;
};

struct FunctionCount {
    FunctionKey key;
    uint64_t samples = 0;
};

/// The files of all images, by base name.
class FunctionFiles {
public:
    explicit FunctionFiles(const FleetImages& images);

    /// The path of the first image of a file.
    const std::string& path(uint32_t file) const { return paths_[file]; }
    /// The images of these files, sorted.
    std::vector<uint64_t> images(const std::vector<FunctionCount>& counts) const;
    /// The table `image_files` (image, file) for queries.
    const InputTable& table() const { return table_; }

private:
    std::vector<std::string> paths_;
    std::map<uint64_t, uint32_t> files_;
    InputTable table_;
};

/// Samples of all functions, most first. The order of equal ones is always the same.
std::vector<FunctionCount> count_functions(Server& server, const Chosen& chosen, const FunctionFiles& files);

/// How many hosts and builds have samples of a function.
struct FunctionSpread {
    uint64_t hosts = 0, builds = 0;
};
std::map<FunctionKey, FunctionSpread> spread_functions(Server& server, const Chosen& chosen,
                                                       const FunctionFiles& files,
                                                       const std::vector<FunctionCount>& functions);

/// Samples of some functions by host, and of all functions by host.
struct HostCounts {
    std::map<FunctionKey, std::map<uint64_t, uint64_t>> functions;
    std::map<uint64_t, uint64_t> totals;
};
HostCounts count_by_host(Server& server, const Chosen& chosen, const FunctionFiles& files,
                         const std::vector<FunctionCount>& functions);

/// The names of functions by their numbers. Those that have none are missing.
std::map<uint64_t, std::string> function_names(Server& server, const std::vector<FunctionCount>& functions);

}  // namespace op::fleet
