// SPDX-License-Identifier: GPL-2.0-or-later
// One symbol table per image, made when first asked for.
#include "libpp/symbolizer.h"

#include <algorithm>
#include <map>

#include "libop/error.h"
#include "libop/record.h"
#include "libop/text.h"
#include "libpp/image_symbols.h"
#include "libpp/kernel_symbols.h"

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

std::vector<std::string_view> ImageSymbols::functions(ImageOffset offset) {
    std::vector<std::string_view> names;
    for (const InlineFrame& frame : frames(offset))
        names.push_back(frame.function);
    return names;
}

namespace {

/// An image file to be opened.
struct Wanted {
    std::string recorded;  ///< path, or a module's bare name
    Origin origin = Origin::file;
    uint64_t mtime = 0;    ///< seconds since the epoch; 0 = unknown
    std::string build_id;  ///< lower-case hex; empty = unknown
};

}  // namespace

struct Symbolizer::Impl {
    const ImageFinder& finder;
    const SessionInfo* info;
    std::string_view kallsyms;
    SymbolizerOptions options;
    Diagnostics& notes;
    std::map<ImageName, std::unique_ptr<ImageSymbols>> images = {};
    std::optional<KernelSymbols> snapshot = {};  ///< of kallsyms, read on first need

    std::unique_ptr<ImageSymbols> open(const ImageName& image, uint64_t mtime, bool is_kernel);
    std::unique_ptr<ImageSymbols> open_kernel(const ImageName& image);
    std::unique_ptr<ImageSymbols> open_file(const Wanted& wanted);
    std::unique_ptr<ImageSymbols> read_snapshot(const std::string& module,
                                                const RecordedKernelImage* recorded);
    std::vector<std::string> roots() const;
    void compare(const Wanted& wanted, const std::string& path, const std::string& build_id);
    const RecordedKernelImage* kernel_image(const std::string& name) const;
};

Symbolizer::Symbolizer(const ImageFinder& finder, const SessionInfo* info, std::string_view kallsyms,
                       const SymbolizerOptions& options, Diagnostics& notes)
    : impl_(std::make_unique<Impl>(Impl{finder, info, kallsyms, options, notes})) {}

Symbolizer::~Symbolizer() = default;

ImageSymbols& Symbolizer::symbols(const ImageName& image, uint64_t mtime, bool is_kernel) {
    auto& kept = impl_->images[image];
    if (!kept) kept = impl_->open(image, mtime, is_kernel);
    if (!kept) kept = whole_image(image.kind == ImageName::Kind::kernel ? "/" + image.name : image.display());
    return *kept;
}

std::unique_ptr<ImageSymbols> Symbolizer::Impl::open(const ImageName& image, uint64_t mtime, bool is_kernel) {
    if (image.kind == ImageName::Kind::anon) return nullptr;
    if (image.kind == ImageName::Kind::kernel || image.name == kallsyms_image) return open_kernel(image);
    // A kernel image with a path is vmlinux; our own sessions count from where kallsyms said it begins.
    const RecordedKernelImage* kernel = kernel_image(image.name);
    Wanted file{image.name, kernel ? Origin::kernel : Origin::text, mtime, kernel ? kernel->build_id : ""};
    if (!kernel && !is_kernel) {
        file.origin = Origin::file;
        if (info && info->images.contains(image.name)) file.build_id = info->images.at(image.name).build_id;
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
std::unique_ptr<ImageSymbols> Symbolizer::Impl::open_kernel(const ImageName& image) {
    if (image.name == no_vmlinux) return nullptr;
    const bool kernel = image.name == kallsyms_image;
    const RecordedKernelImage* recorded = kernel_image(image.name);
    const std::string build_id = recorded ? recorded->build_id : "";
    if (kernel && !options.vmlinux.empty()) return open_file({options.vmlinux, Origin::kernel, 0, build_id});
    if (auto symbols = read_snapshot(kernel ? "" : image.name, recorded)) return symbols;
    if (!kernel) return open_file({image.name, Origin::text, 0, build_id});
    notes.warn("no kernel symbols in this session; give the kernel image with --vmlinux");
    return nullptr;
}

std::unique_ptr<ImageSymbols> Symbolizer::Impl::read_snapshot(const std::string& module,
                                                              const RecordedKernelImage* recorded) {
    if (!snapshot) snapshot.emplace(kallsyms);
    auto symbols = snapshot->of(module, recorded ? recorded->start : 0, recorded ? recorded->length : 0);
    return symbols.empty() ? nullptr : listed_symbols(std::move(symbols));
}

std::vector<std::string> Symbolizer::Impl::roots() const {
    std::vector<std::string> roots;
    if (!finder.search().archive.empty()) roots.push_back(finder.search().archive);
    if (!finder.search().root.empty()) roots.push_back(finder.search().root);
    roots.emplace_back();
    return roots;
}

std::unique_ptr<ImageSymbols> Symbolizer::Impl::open_file(const Wanted& wanted) {
    const auto path =
        wanted.recorded == options.vmlinux ? wanted.recorded : finder.find(wanted.recorded, notes);
    if (!path) {
        notes.warn("image " + printable(wanted.recorded) + " is not found; its symbols are not shown");
        return nullptr;
    }
    try {
        auto object = open_elf_symbols(*path, wanted.origin, roots(), notes);
        compare(wanted, *path, object.build_id);
        return std::move(object.symbols);
    } catch (const Error& e) {
        notes.warn("image " + printable(wanted.recorded) + " cannot be read: " + e.what());
        return nullptr;
    }
}

void Symbolizer::Impl::compare(const Wanted& wanted, const std::string& path, const std::string& build_id) {
    if (!wanted.build_id.empty() && !build_id.empty()) {
        if (wanted.build_id != build_id)
            notes.warn(printable(path) +
                       " is not the build that was profiled (build-ids differ): its symbols may be wrong");
        return;
    }
    if (wanted.mtime != 0 && modification_time(path) != wanted.mtime)
        notes.warn(printable(path) + " was changed after it was profiled: its symbols may be wrong");
}

}  // namespace op::pp
