// SPDX-License-Identifier: GPL-2.0-or-later
// One symbol table per image, made when first asked for.
#include "libpp/symbolizer.h"

#include <algorithm>
#include <map>

#include "libop/error.h"
#include "libop/text.h"
#include "libpp/image_symbols.h"
#include "libpp/kernel_symbols.h"

namespace op::pp {
namespace {

constexpr std::string_view kallsyms_image = "/proc/kallsyms";
constexpr std::string_view no_vmlinux = "no-vmlinux";

}  // namespace

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

struct Symbolizer::Impl {
    const ImageFinder& finder;
    const SessionInfo* info;
    std::string_view kallsyms;
    SymbolizerOptions options;
    Diagnostics& notes;
    std::map<ImageName, std::unique_ptr<ImageSymbols>> images;

    std::unique_ptr<ImageSymbols> open(const ImageName& image, uint64_t mtime, bool is_kernel);
    std::unique_ptr<ImageSymbols> open_kernel(const ImageName& image);
    std::unique_ptr<ImageSymbols> open_file(const std::string& recorded, uint64_t mtime, bool from_text);
    std::vector<std::string> roots() const;
    void compare(const std::string& recorded, const std::string& path, const std::string& build_id,
                 uint64_t mtime);
    const RecordedKernelImage* kernel_image(const std::string& name) const;
};

Symbolizer::Symbolizer(const ImageFinder& finder, const SessionInfo* info, std::string_view kallsyms,
                       const SymbolizerOptions& options, Diagnostics& notes)
    : impl_(std::make_unique<Impl>(Impl{finder, info, kallsyms, options, notes, {}})) {}

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
    return open_file(image.name, mtime, is_kernel || kernel_image(image.name));
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
    if (kernel && !options.vmlinux.empty()) return open_file(options.vmlinux, 0, true);
    auto symbols = kallsyms_symbols(kallsyms, kernel ? "" : image.name, recorded ? recorded->start : 0,
                                    recorded ? recorded->length : 0);
    if (!symbols.empty()) return listed_symbols(std::move(symbols));
    if (!kernel) return open_file(image.name, 0, true);
    notes.warn("no kernel symbols in this session; give the kernel image with --vmlinux");
    return nullptr;
}

std::vector<std::string> Symbolizer::Impl::roots() const {
    std::vector<std::string> roots;
    if (!finder.search().archive.empty()) roots.push_back(finder.search().archive);
    if (!finder.search().root.empty()) roots.push_back(finder.search().root);
    roots.emplace_back();
    return roots;
}

std::unique_ptr<ImageSymbols> Symbolizer::Impl::open_file(const std::string& recorded, uint64_t mtime,
                                                          bool from_text) {
    const auto path = recorded == options.vmlinux ? recorded : finder.find(recorded, notes);
    if (!path) {
        notes.warn("image " + printable(recorded) + " is not found; its symbols are not shown");
        return nullptr;
    }
    try {
        auto object = open_elf_symbols(*path, from_text, roots(), notes);
        compare(recorded, *path, object.build_id, mtime);
        return std::move(object.symbols);
    } catch (const Error& e) {
        notes.warn("image " + printable(recorded) + " cannot be read: " + e.what());
        return nullptr;
    }
}

void Symbolizer::Impl::compare(const std::string& recorded, const std::string& path,
                               const std::string& build_id, uint64_t mtime) {
    const RecordedImage* image = nullptr;
    if (info)
        if (const auto it = info->images.find(recorded); it != info->images.end()) image = &it->second;
    if (image && !image->build_id.empty() && !build_id.empty()) {
        if (image->build_id != build_id)
            notes.warn(printable(path) +
                       " is not the build that was profiled (build-ids differ): its symbols may be wrong");
        return;
    }
    if (mtime != 0 && modification_time(path) != mtime)
        notes.warn(printable(path) + " was changed after it was profiled: its symbols may be wrong");
}

}  // namespace op::pp
