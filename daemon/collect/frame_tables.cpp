// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the file of a mapped image and builds its table.
#include "daemon/collect/frame_tables.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <optional>
#include <vector>

#include "daemon/collect/host_machine.h"
#include "daemon/unwind/elf_frames.h"
#include "daemon/unwind/unwind_table.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"

namespace op::collect {

namespace {

/// The virtual library that the kernel maps into every process: all 64-bit ones have the same.
Fd vdso_file() {
    const auto* const start = reinterpret_cast<const char*>(::getauxval(AT_SYSINFO_EHDR));
    Fd file(::memfd_create("vdso", MFD_CLOEXEC));
    if (!start || !file) return {};
    const auto size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    size_t done = 0;
    while (done < 2 * size && ::write(file.get(), start + done, size) == static_cast<ssize_t>(size))
        done += size;  // ends with the mapping: EFAULT
    return file;
}

}  // namespace

class FileFrames {
public:
    FileFrames(Fd file, ElfFrames found) : file_(std::move(file)), found_(std::move(found)) { forget(); }

    /// By the first section that has the code. A start without a table (musl's) is the outermost frame too.
    UnwindRule find(uint64_t file_offset) {
        const auto address = found_.link_address(file_offset);
        if (!address) return {};
        for (Section& section : sections_) {
            if (!section.table.has_page(*address)) build_page(section, *address);
            const UnwindRule& rule = section.table.find(*address);
            if (rule.cfa != CfaFrom::no_info) return rule;
        }
        const bool is_start = found_.entry.value() != 0 && *address - found_.entry < start_code;
        return is_start ? UnwindRule{.cfa = CfaFrom::sp, .ra = SavedAt::undefined} : UnwindRule{};
    }
    /// About what it takes, in bytes.
    uint64_t memory() const noexcept { return memory_; }
    /// Gives back all but the file.
    void forget() {
        sections_.clear();
        for (const FrameSectionPlace& place : found_.sections)
            sections_.push_back({&place, UnwindTable(host_machine), nullptr});
        memory_ = 0;
    }

private:
    struct Section {
        const FrameSectionPlace* place;
        UnwindTable table;
        std::unique_ptr<FrameIndex> index;

        uint64_t memory() const { return table.memory() + (index ? index->memory() : 0); }
    };

    void build_page(Section& section, LinkAddress address) {
        memory_ -= section.memory();
        if (!section.index)
            section.index =
                std::make_unique<FrameIndex>(section_bytes(*section.place), section.place->address,
                                             section.place->is_debug_frame, host_machine);
        section.table.build_page(address, *section.index);
        memory_ += section.memory();
    }
    /// None if they cannot be read.
    std::vector<std::byte> section_bytes(const FrameSectionPlace& place) const try {
        return read_section(file_, place);
    } catch (const Error&) {
        return {};
    }

    Fd file_;
    ElfFrames found_;
    std::vector<Section> sections_;
    uint64_t memory_ = 0;
};

FrameTables::FrameTables(uint64_t limit) : limit_(limit) {}

FrameTables::~FrameTables() = default;

UnwindRule FrameTables::find(const Region& region, uint32_t tgid, uint64_t file_offset) try {
    FileFrames* const frames = frames_of(region, tgid);
    if (!frames) return {};
    const uint64_t before = frames->memory();
    const UnwindRule rule = frames->find(file_offset);
    if (frames->memory() != before) {
        memory_ += frames->memory() - before;
        limit_memory();
    }
    return rule;
} catch (const Error&) {
    return {};  // the file cannot be read any more
}

FileFrames* FrameTables::frames_of(const Region& region, uint32_t tgid) {
    const auto it = known_.find(region.image.get());
    if (it != known_.end() && it->second.image.lock() == region.image) return it->second.frames.get();
    Known known{region.image, load(region, tgid)};
    limit_memory();
    return known_.insert_or_assign(region.image.get(), std::move(known)).first->second.frames.get();
}

/// Null if no table can be had.
std::shared_ptr<FileFrames> FrameTables::load(const Region& region, uint32_t tgid) try {
    Fd file;
    if (region.kind == RegionKind::file) {
        const MappedImage& image = *region.image;
        auto found = find_image_file(
            {tgid, image.name, image.file, image.build_id, region.start.value(), region.end.value(), 0},
            search_);
        if (found) file = std::move(found->fd);
    } else if (region.image->name == "[vdso]") {
        file = vdso_file();
    }
    if (!file) return nullptr;
    auto frames = find_elf_frames(file);
    if (!frames || frames->machine != &host_machine) return nullptr;
    return std::make_shared<FileFrames>(std::move(file), std::move(*frames));
} catch (const Error&) {
    return nullptr;
}

/// Forgets images that are gone; if the others still take too much, their tables.
void FrameTables::limit_memory() {
    std::erase_if(known_, [](const auto& each) { return each.second.image.expired(); });
    memory_ = 0;
    for (const auto& [image, known] : known_)
        if (known.frames) memory_ += known.frames->memory();
    if (memory_ <= limit_) return;
    for (const auto& [image, known] : known_)
        if (known.frames) known.frames->forget();
    memory_ = 0;
}

}  // namespace op::collect
