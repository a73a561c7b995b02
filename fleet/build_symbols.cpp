// SPDX-License-Identifier: GPL-2.0-or-later
// Symbols by libpp, whose Symbolizer checks build-ids.
#include "fleet/build_symbols.h"

#include <unistd.h>

#include <algorithm>
#include <set>

#include "fleet/dpkg_package.h"
#include "libop/base/build_id.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libop/stream/record.h"
#include "libpp/object/debuginfo.h"

namespace op::fleet {
namespace {

/// Inlined functions at one place; more are a sign of a damaged file.
constexpr size_t most_inlined = 200;

/// Reads one build through one of its names.
class BuildReader {
public:
    BuildReader(const WantedBuild& wanted, const SymbolSources& sources, ImageName name, Diagnostics& notes)
        : wanted_(wanted),
          name_(std::move(name)),
          info_(info_for(wanted, sources, name_)),
          finder_(search_for(wanted, sources), info_.kernel_release),
          symbolizer_(finder_, &info_, has_snapshot() ? std::string_view(sources.kernel->kallsyms) : "",
                      options_for(wanted, sources, name_), notes) {}

    BuildSymbols read() {
        BuildSymbols result;
        pp::ImageSymbols& image = symbolizer_.symbols(name_, 0);
        result.reason = symbolizer_.shortcoming(name_).text;
        result.file = symbolizer_.file(name_);
        result.quality = quality(image, !result.reason.empty());
        if (result.quality == SymbolQuality::none) return result;
        add_locations(image, result);
        add_functions(image, result);
        return result;
    }

private:
    static SessionInfo info_for(const WantedBuild& wanted, const SymbolSources& sources,
                                const ImageName& name) {
        SessionInfo info;
        if (!wanted.is_kernel) {
            info.images[name.name].build_id = wanted.build_id;
            return info;
        }
        RecordedKernelImage image{name.name, 0, 0, wanted.build_id};
        if (sources.kernel) {
            const auto& running = sources.kernel->info;
            info.kernel_release = running.kernel_release;
            const auto same =
                std::ranges::find_if(running.kernel_images, [&](const RecordedKernelImage& each) {
                    return each.name == name.name && each.build_id == wanted.build_id;
                });
            if (same != running.kernel_images.end()) image = *same;
        }
        info.kernel_images.push_back(std::move(image));
        return info;
    }

    static pp::ImageSearch search_for(const WantedBuild& wanted, const SymbolSources& sources) {
        pp::ImageSearch search = sources.search;
        if (wanted.file.empty() || !wanted.is_kernel) return search;
        // A module goes by its base name.
        search.image_paths = {wanted.file.substr(0, wanted.file.rfind('/') + 1)};
        return search;
    }

    static pp::SymbolizerOptions options_for(const WantedBuild& wanted, const SymbolSources& sources,
                                             const ImageName& name) {
        pp::SymbolizerOptions options;
        options.by_build_id = sources.by_build_id;
        if (name.name == kallsyms_image) options.vmlinux = wanted.file;
        return options;
    }

    /// The kernel's own list is used for the build that runs only.
    bool has_snapshot() const {
        return wanted_.is_kernel && wanted_.file.empty() && info_.kernel_images.front().start != 0;
    }

    SymbolQuality quality(pp::ImageSymbols& image, bool is_short) const {
        const auto symbols = image.symbols();
        const bool is_artificial = symbols.size() == 1 && symbols.front().artificial;
        if (symbols.empty() || is_artificial) return SymbolQuality::none;
        if (image.has_lines()) return SymbolQuality::debug;
        if (!image.has_symbols() && !has_snapshot()) return SymbolQuality::bounds;
        return is_short ? SymbolQuality::exported : SymbolQuality::table;
    }

    static std::string shown_name(pp::ImageSymbols& image, const pp::ImageSymbol& symbol) {
        return std::string(image.name(symbol, pp::Demangle::normal));
    }

    void add_locations(pp::ImageSymbols& image, BuildSymbols& result) {
        for (const uint64_t place : wanted_.places) {
            BuildLocation& location = result.locations.emplace_back();
            location.place = place;
            const ImageOffset offset{place};
            const pp::ImageSymbol* const symbol = image.find(offset);
            if (!symbol) continue;
            location.first = symbol->start.value();
            location.name = shown_name(image, *symbol);
            sampled_.insert(location.first);
            if (result.quality == SymbolQuality::debug) add_lines(image, offset, location);
        }
    }

    static void add_lines(pp::ImageSymbols& image, ImageOffset offset, BuildLocation& location) {
        const auto frames = image.frames(offset);
        if (frames.empty()) return;
        location.file = frames.back().file;
        location.line = frames.back().line;
        const size_t inlined = std::min(frames.size() - 1, most_inlined);
        for (size_t i = inlined; i > 0; --i) {
            const pp::InlineFrame& frame = frames[i - 1];
            location.inlined.push_back(pp::demangle(frame.function, pp::Demangle::normal) + "\t" +
                                       std::string(frame.file) + ":" + std::to_string(frame.line));
        }
    }

    void add_functions(pp::ImageSymbols& image, BuildSymbols& result) {
        for (const pp::ImageSymbol& symbol : image.symbols()) {
            BuildFunction& function = result.functions.emplace_back();
            function.first = symbol.start.value();
            function.last = function.first + (symbol.length - 1);
            function.name = shown_name(image, symbol);
            function.linkage = symbol.name;
            if (result.quality != SymbolQuality::debug || !sampled_.contains(function.first)) continue;
            if (const auto line = image.line(symbol.start)) {
                function.file = line->file;
                function.line = line->line;
            }
        }
    }

    const WantedBuild& wanted_;
    ImageName name_;
    SessionInfo info_;
    pp::ImageFinder finder_;
    pp::Symbolizer symbolizer_;
    std::set<uint64_t> sampled_;
};

ImageName image_name(const WantedBuild& wanted, const std::string& path) {
    const bool is_module = wanted.is_kernel && path.find('/') == path.npos;
    return {is_module ? ImageName::Kind::kernel : ImageName::Kind::file, path, 0, 0, 0};
}

/// Where hosts have it, and where the user has it.
std::vector<std::string> names_to_try(const WantedBuild& wanted) {
    if (wanted.file.empty() || wanted.is_kernel) return wanted.paths;
    return {wanted.file};
}

/// By the file's own note, else by dpkg's database of the root that the file is below. The file is opened
/// once, so that what is read is of the very build.
std::optional<Package> read_package(const WantedBuild& wanted, const std::string& path,
                                    const std::string& root) try {
    const Fd file = open_regular(path);
    if (build_id_of_fd(file) != wanted.build_id) return std::nullopt;
    if (auto package = package_of_fd(file)) return package;
    if (!path.starts_with(root)) return std::nullopt;
    return dpkg_package(root, path.substr(root.size()), file);
} catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
    return std::nullopt;
}

}  // namespace

std::optional<std::string> LocalBuildIds::executable(const std::string& build_id) {
    constexpr size_t shortest = 4;
    if (build_id.size() < shortest) return std::nullopt;
    const std::string tail = "/.build-id/" + build_id.substr(0, 2) + "/" + build_id.substr(2);
    for (const char* const base : {"/usr/lib/debug", "/usr/lib"})
        if (std::string path = root_ + base + tail; build_id_of_file(path) == build_id) return path;
    return next_ ? next_->executable(build_id) : std::nullopt;
}

std::optional<std::string> LocalBuildIds::debug_file(const std::string& build_id) {
    return next_ ? next_->debug_file(build_id) : std::nullopt;
}

BuildSymbols read_build_symbols(const WantedBuild& wanted, const SymbolSources& sources, Diagnostics& notes) {
    BuildSymbols best;
    best.reason = "has no build-id: no file can be known to be it";
    if (wanted.build_id.empty()) return best;
    best.reason = "has no path";
    for (const std::string& path : names_to_try(wanted)) {
        BuildSymbols symbols = BuildReader(wanted, sources, image_name(wanted, path), notes).read();
        if (symbols.quality > best.quality || best.file.empty()) best = std::move(symbols);
        if (best.quality >= SymbolQuality::table) break;
    }
    if (wanted.lacks_package && !wanted.is_kernel && !best.file.empty())
        best.package = read_package(wanted, best.file, sources.search.root);
    return best;
}

}  // namespace op::fleet
