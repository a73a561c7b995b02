// SPDX-License-Identifier: GPL-2.0-or-later
// One symbol table per image, made on first use.
#include "libpp/symbols/symbolizer.h"

#include <algorithm>
#include <map>
#include <utility>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/stream/record.h"
#include "libpp/symbols/image_candidates.h"
#include "libpp/symbols/image_symbols.h"
#include "libpp/symbols/kernel_symbols.h"
#include "libpp/symbols/run_time_code.h"

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
    std::string name;  ///< path, or a module's bare name
    Origin origin = Origin::file;
    RecordedImage recorded = {};
    std::string named = {};  ///< the file that the user named for it; empty = none
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
    if (change == FileChange::several_builds) return several_builds_text;
    if (change == FileChange::elsewhere)
        return "was another file where this session was recorded (deleted, replaced, or of a container)";
    if (change == FileChange::other_content)
        return "is not the file that was profiled (the contents differ, a build-id is unknown)";
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
    Opened open_memory(const ImageName& image);
    std::optional<Opened> open_vdso(const ImageName& image);
    Opened open_kernel(const ImageName& image);
    Opened open_file(const Wanted& wanted);
    Opened read_file(const Wanted& wanted, const ImageCandidate& file);
    void note_unverified(const Wanted& wanted, const std::string& build_id);
    ImageCandidates candidates(const Wanted& wanted);
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

bool Symbolizer::is_one_build(const ImageName& image) const {
    if (!impl_->info || image.kind != ImageName::Kind::file) return false;
    const auto recorded = impl_->info->images.find(image.name);
    return recorded != impl_->info->images.end() && !recorded->second.build_id.empty() &&
           !recorded->second.several_builds;
}

std::pair<ImageName, uint64_t> Symbolizer::place(const ImageName& region) const {
    const RunTimeCode* const code = impl_->options.run_time_code;
    const auto placed = code ? code->place(region) : std::nullopt;
    return placed ? std::pair(placed->image, placed->first_offset) : std::pair(region, uint64_t{0});
}

std::string_view Symbolizer::file(const ImageName& image) const {
    const auto it = impl_->images.find(image);
    return it == impl_->images.end() ? "" : std::string_view(it->second.file);
}

Opened Symbolizer::Impl::open(const ImageName& image, uint64_t mtime, bool is_kernel) {
    if (image.kind == ImageName::Kind::anon) return open_memory(image);
    if (image.kind == ImageName::Kind::kernel || image.name == kallsyms_image) return open_kernel(image);
    // A kernel image with a path is vmlinux; our own sessions count from where it begins in kallsyms.
    const bool is_kernel_image = is_kernel_file(image.name, info, is_kernel);
    Wanted file{image.name, Origin::file};
    file.recorded = info ? info->recorded(image.name, mtime) : RecordedImage{.mtime = mtime};
    if (is_kernel_image) file.origin = kernel_image(image.name) ? Origin::kernel : Origin::text;
    if (is_kernel_image) file.named = options.vmlinux;
    if (!file.named.empty()) file.recorded.forget_file();
    return open_file(file);
}

Opened Symbolizer::Impl::open_memory(const ImageName& image) {
    if (options.run_time_code)
        if (auto symbols = options.run_time_code->open(image))
            return {std::move(symbols), {}, options.run_time_code->file(image)};
    if (auto vdso = open_vdso(image)) return std::move(*vdso);
    return {nullptr, {"is memory without a file: it has no symbols"}};
}

/// From the copy that the session keeps. It exports all that it is called for.
std::optional<Opened> Symbolizer::Impl::open_vdso(const ImageName& image) {
    const auto known = info ? info->images.find(image.name) : decltype(info->images.end()){};
    if (!info || known == info->images.end() || image.tgid != 0) return std::nullopt;
    const RecordedImage& recorded = known->second;
    if (recorded.several_builds || recorded.build_id.empty() || recorded.size != image.end - image.start + 1)
        return std::nullopt;
    const auto kept = finder.find_kept(recorded.build_id);
    if (!kept) return std::nullopt;
    Opened opened = read_file({image.name, Origin::file, recorded}, {*kept, true});
    if (opened.file.empty()) return std::nullopt;
    opened.shortcoming = {};
    return opened;
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
    const RecordedImage known{.build_id = recorded ? recorded->build_id : ""};
    if (kernel && !options.vmlinux.empty())
        return open_file({image.name, Origin::kernel, known, options.vmlinux});
    const Wanted file{image.name, Origin::text, known};
    if (auto symbols = read_snapshot(kernel ? Wanted{} : file, recorded)) return {std::move(symbols)};
    if (!kernel) return open_file(file);
    return {nullptr, {"has no symbols in this session; give the kernel image with --vmlinux"}};
}

/// The snapshot has no lines: those are the module file's, if it is of the very build.
std::unique_ptr<ImageSymbols> Symbolizer::Impl::read_snapshot(const Wanted& module,
                                                              const RecordedKernelImage* recorded) {
    if (!snapshot) snapshot.emplace(kallsyms);
    auto symbols = snapshot->of(module.name, recorded ? recorded->start : 0, recorded ? recorded->length : 0);
    if (symbols.empty()) return nullptr;
    if (module.recorded.build_id.empty()) return listed_symbols(std::move(symbols));
    return listed_symbols(std::move(symbols), [this, module] { return open_module(module); });
}

/// Null if it is not found, of another build, or cannot be read: the names are there without it.
std::unique_ptr<ImageSymbols> Symbolizer::Impl::open_module(const Wanted& module) {
    ImageCandidates files = candidates(module);
    while (const auto file = files.next())
        try {
            OpenedElf elf = open_elf_file(file->path);
            if (elf.object->build_id() == module.recorded.build_id)
                return read_elf_symbols(std::move(elf), module.origin, {roots(), options.by_build_id}, notes)
                    .symbols;
        } catch (const Error& e) {
            notes.warn(std::string(e.what()) + ": no lines of " + printable(module.name));
        }
    return nullptr;
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

ImageCandidates Symbolizer::Impl::candidates(const Wanted& wanted) {
    return {finder, options.by_build_id, wanted.name, wanted.recorded, wanted.named, notes};
}

Opened Symbolizer::Impl::open_file(const Wanted& wanted) {
    ImageCandidates files = candidates(wanted);
    std::optional<Opened> unfit;
    while (const auto file = files.next()) {
        Opened opened = read_file(wanted, *file);
        if (!opened.file.empty()) return opened;
        // A file of another build is a better reason than one that cannot be read.
        if (!unfit || (opened.is_replaced && !unfit->is_replaced)) unfit = std::move(opened);
    }
    if (unfit) return std::move(*unfit);
    if (is_deleted(wanted.name))
        return {nullptr, {"was deleted or replaced while it ran; keep a copy and give it with --root"}};
    return {nullptr, {"is not found; say where it is with --image-path or --root"}};
}

/// Once, for all images of a session of another tool that knows too little to compare their files with.
void Symbolizer::Impl::note_unverified(const Wanted& wanted, const std::string& build_id) {
    const RecordedImage& recorded = wanted.recorded;
    const bool is_compared = (!recorded.build_id.empty() && !build_id.empty()) || recorded.mtime != 0;
    if (info || wanted.origin != Origin::file || is_compared || options.trusts_paths ||
        std::exchange(is_unverified_noted, true))
        return;
    notes.warn(printable(wanted.name) +
               ": this session knows neither build-id nor modification time of it; its symbols, and those of "
               "other such images, are of the files that now have their paths");
}

Opened Symbolizer::Impl::read_file(const Wanted& wanted, const ImageCandidate& file) {
    const std::string& path = file.path;
    try {
        OpenedElf elf = open_elf_file(path);
        const std::string build_id = elf.object->build_id();
        const auto change = candidate_change(file, build_id, wanted.recorded);
        if (change != FileChange::none && (!options.trusts_paths || file.is_by_build_id))
            return {nullptr, {not_used(change)}, {}, true};
        auto read = read_elf_symbols(std::move(elf), wanted.origin, {roots(), options.by_build_id}, notes);
        if (change == FileChange::none) {
            note_unverified(wanted, build_id);
            return {std::move(read.symbols), shortcoming_of(read.table), path};
        }
        notes.warn(replacement_note(path, change));
        return {std::move(read.symbols), {}, path, true};
    } catch (const Error& e) {
        return {nullptr, {std::string("cannot be read (") + e.what() + ")"}};
    }
}

}  // namespace op::pp
