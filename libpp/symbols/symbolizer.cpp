// SPDX-License-Identifier: GPL-2.0-or-later
// One symbol table per image, made on first use.
#include "libpp/symbols/symbolizer.h"

#include <algorithm>
#include <map>
#include <utility>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/stream/record.h"
#include "libpp/symbols/image_symbols.h"
#include "libpp/symbols/kernel_symbols.h"

namespace op::pp {

const ImageSymbol* ImageSymbols::find(ImageOffset offset) const {
    const auto all = symbols();
    const auto next = std::ranges::upper_bound(all, offset, {}, &ImageSymbol::start);
    if (next == all.begin()) return nullptr;
    const ImageSymbol& symbol = *std::prev(next);
    return offset - symbol.start < symbol.length ? &symbol : nullptr;
}

LinkAddress ImageSymbols::link_address(ImageOffset offset) const {
    const ImageSymbol* symbol = find(offset);
    return symbol ? symbol->address + (offset - symbol->start) : LinkAddress{offset.value()};
}

uint64_t ImageSymbols::displacement(ImageOffset offset) const {
    return link_address(offset).value() - offset.value();
}

namespace {

/// An image file to be opened.
struct Wanted {
    std::string recorded;  ///< path, or a module's bare name
    Origin origin = Origin::file;
    uint64_t mtime = 0;    ///< seconds since the epoch; 0 = unknown
    std::string build_id;  ///< lower-case hex; empty = unknown
    bool several_builds = false;
    bool elsewhere = false;  ///< the path led to another file when it was recorded
};

/// An image that symbols() was called for.
struct Opened {
    std::unique_ptr<ImageSymbols> symbols;  ///< null = no names at all
    Shortcoming shortcoming = {};
    std::string file = {};
    bool is_replaced = false;
};

constexpr const char* install_symbols =
    "install its debug symbols (a package -dbgsym, -dbg or -debuginfo) or set DEBUGINFOD_URLS";

Shortcoming shortcoming_of(SymbolTable table) {
    switch (table) {
        case SymbolTable::full:
            return {};
        case SymbolTable::exported:
            return {"has only the names it exports", install_symbols};
        case SymbolTable::none:
            break;
    }
    return {"has no symbols", install_symbols};
}

/// How a file differs from the profiled one.
const char* difference(FileChange change) {
    if (change == FileChange::several_builds)
        return "was rebuilt while this session was recorded, and its builds' samples are counted together";
    if (change == FileChange::elsewhere)
        return "was another file where this session was recorded (deleted, replaced, or of a container)";
    if (change == FileChange::other_time)
        return "is not the file that was profiled (the modification times differ, a build-id is unknown)";
    return "is another build than the one that was profiled (build-ids differ)";
}

/// Why a file's symbols are not used.
std::string not_used(FileChange change) {
    return std::string(difference(change)) +
           ": no symbols are used; give the right file with --root or --image-path, or use this one's with "
           "--trust-path";
}

}  // namespace

struct Symbolizer::Impl {
    const ImageFinder& finder;
    const SessionInfo* info;
    std::string_view kallsyms;
    SymbolizerOptions options;
    Diagnostics& notes;
    std::map<ImageName, Opened> images = {};
    bool is_unverified_noted = false;
    std::optional<KernelSymbols> snapshot = {};  ///< of kallsyms, read on first need

    Opened open(const ImageName& image, uint64_t mtime, bool is_kernel);
    Opened open_kernel(const ImageName& image);
    Opened open_file(const Wanted& wanted);
    Opened read_file(const Wanted& wanted, const std::string& path);
    void note_unverified(const Wanted& wanted, const std::string& build_id);
    std::optional<std::string> find_build(const Wanted& wanted);
    std::optional<std::string> find_file(const Wanted& wanted);
    std::unique_ptr<ImageSymbols> read_snapshot(const Wanted& module, const RecordedKernelImage* recorded);
    std::unique_ptr<ImageSymbols> open_module(const Wanted& module);
    std::vector<std::string> roots() const;
    bool is_deleted(const std::string& name) const;
    const RecordedKernelImage* kernel_image(const std::string& name) const;
};

Symbolizer::Symbolizer(const ImageFinder& finder, const SessionInfo* info, std::string_view kallsyms,
                       const SymbolizerOptions& options, Diagnostics& notes)
    : impl_(std::make_unique<Impl>(Impl{finder, info, kallsyms, options, notes})) {}

Symbolizer::~Symbolizer() = default;

ImageSymbols& Symbolizer::symbols(const ImageName& image, uint64_t mtime, bool is_kernel) {
    const auto [at, is_new] = impl_->images.try_emplace(image);
    Opened& kept = at->second;
    if (is_new) kept = impl_->open(image, mtime, is_kernel);
    if (!kept.symbols)
        kept.symbols =
            whole_image(image.kind == ImageName::Kind::kernel ? "/" + image.name : image.display());
    return *kept.symbols;
}

Shortcoming Symbolizer::shortcoming(const ImageName& image) const {
    const auto it = impl_->images.find(image);
    return it == impl_->images.end() ? Shortcoming{} : it->second.shortcoming;
}

bool Symbolizer::is_replaced(const ImageName& image) const {
    const auto it = impl_->images.find(image);
    return it != impl_->images.end() && it->second.is_replaced;
}

std::string_view Symbolizer::file(const ImageName& image) const {
    const auto it = impl_->images.find(image);
    return it == impl_->images.end() ? "" : std::string_view(it->second.file);
}

Opened Symbolizer::Impl::open(const ImageName& image, uint64_t mtime, bool is_kernel) {
    if (image.kind == ImageName::Kind::anon)
        return {nullptr, {"is memory without a file: it has no symbols"}};
    if (image.kind == ImageName::Kind::kernel || image.name == kallsyms_image) return open_kernel(image);
    // A kernel image with a path is vmlinux; our own sessions count from where it begins in kallsyms.
    const RecordedKernelImage* kernel = kernel_image(image.name);
    Wanted file{image.name, kernel ? Origin::kernel : Origin::text, mtime, kernel ? kernel->build_id : ""};
    if (!kernel && !is_kernel) {
        file.origin = Origin::file;
        if (info) file.build_id = info->build_id(image.name);
        if (info) file.several_builds = info->has_several_builds(image.name);
        if (info) file.elsewhere = info->is_elsewhere(image.name);
    } else if (!options.vmlinux.empty()) {
        file.recorded = options.vmlinux;
        file.mtime = 0;
    }
    return open_file(file);
}

const RecordedKernelImage* Symbolizer::Impl::kernel_image(const std::string& name) const {
    if (!info) return nullptr;
    const auto it = std::ranges::find(info->kernel_images, name, &RecordedKernelImage::name);
    return it == info->kernel_images.end() ? nullptr : &*it;
}

/// The image the user named, else the snapshot, else (for a module) its file.
Opened Symbolizer::Impl::open_kernel(const ImageName& image) {
    if (image.name == no_vmlinux)
        return {nullptr, {"was recorded without symbols; record as root, without --no-vmlinux"}};
    const bool kernel = image.name == kallsyms_image;
    const RecordedKernelImage* recorded = kernel_image(image.name);
    const std::string build_id = recorded ? recorded->build_id : "";
    if (kernel && !options.vmlinux.empty()) return open_file({options.vmlinux, Origin::kernel, 0, build_id});
    const Wanted file{image.name, Origin::text, 0, build_id};
    if (auto symbols = read_snapshot(kernel ? Wanted{} : file, recorded)) return {std::move(symbols)};
    if (!kernel) return open_file(file);
    return {nullptr, {"has no symbols in this session; give the kernel image with --vmlinux"}};
}

/// The snapshot has no lines: those are the module file's, if it is of the very build.
std::unique_ptr<ImageSymbols> Symbolizer::Impl::read_snapshot(const Wanted& module,
                                                              const RecordedKernelImage* recorded) {
    if (!snapshot) snapshot.emplace(kallsyms);
    auto symbols =
        snapshot->of(module.recorded, recorded ? recorded->start : 0, recorded ? recorded->length : 0);
    if (symbols.empty()) return nullptr;
    if (module.build_id.empty()) return listed_symbols(std::move(symbols));
    return listed_symbols(std::move(symbols), [this, module] { return open_module(module); });
}

/// Null if it is not found, of another build, or cannot be read: the names are there without it.
std::unique_ptr<ImageSymbols> Symbolizer::Impl::open_module(const Wanted& module) {
    const auto path = find_file(module);
    if (!path) return nullptr;
    try {
        auto object = open_elf_symbols(*path, module.origin, {roots(), options.by_build_id}, notes);
        return object.build_id == module.build_id ? std::move(object.symbols) : nullptr;
    } catch (const Error& e) {
        notes.warn(std::string(e.what()) + ": no lines of " + printable(module.recorded));
        return nullptr;
    }
}

std::vector<std::string> Symbolizer::Impl::roots() const {
    std::vector<std::string> roots;
    if (!finder.search().archive.empty()) roots.push_back(finder.search().archive);
    if (!finder.search().root.empty()) roots.push_back(finder.search().root);
    roots.emplace_back();
    return roots;
}

bool Symbolizer::Impl::is_deleted(const std::string& name) const {
    const auto it = info ? info->images.find(name) : decltype(info->images.end()){};
    return info && it != info->images.end() && it->second.deleted;
}

std::optional<std::string> Symbolizer::Impl::find_file(const Wanted& wanted) {
    if (!options.vmlinux.empty() && wanted.recorded == options.vmlinux) return wanted.recorded;
    if (auto found = finder.find(wanted.recorded, notes)) return found;
    return find_build(wanted);
}

Opened Symbolizer::Impl::open_file(const Wanted& wanted) {
    // The build-id is the builder's word: a file at its path is not looked past.
    if (wanted.elsewhere && !wanted.several_builds)
        if (const auto kept = finder.find_kept(wanted.build_id))
            if (Opened opened = read_file(wanted, *kept); !opened.file.empty()) return opened;
    if (const auto path = find_file(wanted)) return read_file(wanted, *path);
    if (is_deleted(wanted.recorded))
        return {nullptr, {"was deleted or replaced while it ran; keep a copy and give it with --root"}};
    return {nullptr, {"is not found; say where it is with --image-path or --root"}};
}

/// Once, for all images of a session of another tool that knows too little to compare their files with.
void Symbolizer::Impl::note_unverified(const Wanted& wanted, const std::string& build_id) {
    const bool is_compared = (!wanted.build_id.empty() && !build_id.empty()) || wanted.mtime != 0;
    if (info || wanted.origin != Origin::file || is_compared || options.trusts_paths ||
        std::exchange(is_unverified_noted, true))
        return;
    notes.warn(printable(wanted.recorded) +
               ": this session knows neither build-id nor modification time of it; its symbols, and those of "
               "other such images, are of the files that now have their paths");
}

/// A copy of the very build.
std::optional<std::string> Symbolizer::Impl::find_build(const Wanted& wanted) {
    if (wanted.build_id.empty() || wanted.several_builds) return std::nullopt;
    if (auto kept = finder.find_kept(wanted.build_id)) return kept;
    if (!options.by_build_id) return std::nullopt;
    return options.by_build_id->executable(wanted.build_id);
}

Opened Symbolizer::Impl::read_file(const Wanted& wanted, const std::string& path) {
    try {
        auto object = open_elf_symbols(path, wanted.origin, {roots(), options.by_build_id}, notes);
        const RecordedImage recorded{.build_id = wanted.build_id,
                                     .mtime = wanted.mtime,
                                     .several_builds = wanted.several_builds,
                                     .elsewhere = wanted.elsewhere};
        const auto change = file_change(path, object.build_id, recorded);
        if (change == FileChange::none) note_unverified(wanted, object.build_id);
        if (change == FileChange::none)
            return {std::move(object.symbols), shortcoming_of(object.table), path};
        if (options.trusts_paths) {
            notes.warn(replacement_note(path, change));
            return {std::move(object.symbols), {}, path, true};
        }
        if (const auto build = find_build(wanted); build && *build != path) return read_file(wanted, *build);
        return {nullptr, {not_used(change)}, {}, true};
    } catch (const Error& e) {
        return {nullptr, {std::string("cannot be read (") + e.what() + ")"}};
    }
}

}  // namespace op::pp
