// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the file of a mapped image and builds its table.
#include "daemon/collect/frame_tables.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "daemon/collect/host_machine.h"
#include "daemon/source/own_vdso.h"
#include "daemon/unwind/call_code.h"
#include "daemon/unwind/elf_frames.h"
#include "daemon/unwind/frame_state.h"
#include "daemon/unwind/return_path.h"
#include "daemon/unwind/section_rules.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"

namespace op::collect {

namespace {

constexpr uint64_t second = 1'000'000'000, pay_seconds = 8;
/// Between two attempts to open again the file of one image for a further page, and between two to open any
/// of those that were not found.
constexpr uint64_t between_builds = second / 20, between_all = second / 20;

/// False for nearly all rules within functions, which spares reading the file. That a function begins with
/// another one is possible, but not usual.
bool may_begin_function(const UnwindRule& rule) {
    const int32_t pushed = host_machine.has_link_register ? 0 : sizeof(uint64_t);
    return rule.ra == SavedAt::undefined || rule.is_signal_frame ||
           (rule.cfa == CfaFrom::sp && rule.cfa_offset == pushed);
}

/// The time of a clock that does not advance, so that nothing is ever paid.
constexpr uint64_t stopped_clock = UINT64_MAX / 2;

RateLimit work_limit(uint64_t work) {
    const uint64_t unit_time = std::max<uint64_t>(pay_seconds * second / std::max<uint64_t>(work, 1), 1);
    return {unit_time, work * unit_time};
}

}  // namespace

class FileFrames {
public:
    explicit FileFrames(const ElfFrames& found) : found_(found) {
        for (const FrameSectionPlace& place : found_.sections)
            sections_.emplace_back(place, host_machine);
    }

    std::optional<LinkAddress> link_address(uint64_t file_offset) const noexcept {
        return found_.link_address(file_offset);
    }
    /// The first section that must have a page for the address before there is an answer; null = none.
    SectionRules* missing(LinkAddress address) {
        for (SectionRules& section : sections_) {
            if (!section.has_page(address)) return &section;
            if (section.find(address).cfa != CfaFrom::no_info) return nullptr;
        }
        return nullptr;
    }
    /// By the first section that has the code. A start without a table (musl's) is the outermost frame too.
    UnwindRule find(LinkAddress address) const {
        for (const SectionRules& section : sections_)
            if (const UnwindRule& rule = section.find(address); rule.cfa != CfaFrom::no_info) return rule;
        const bool is_start = found_.entry.value() != 0 && address - found_.entry < start_code;
        return is_start ? UnwindRule{.cfa = CfaFrom::sp, .ra = SavedAt::undefined} : UnwindRule{};
    }
    /// Builds the pages that must be there before there is an answer. Returns what that cost.
    uint64_t build(const Fd& file, LinkAddress address) {
        uint64_t work = 0;
        while (SectionRules* const section = missing(address))
            work += section->build_page(file, address);
        return work;
    }
    UnwindRule find_register(const Fd& file, LinkAddress address, uint8_t number, uint64_t& work) {
        for (SectionRules& section : sections_) {
            const UnwindRule rule = section.find_register(file, address, number, work);
            if (rule.cfa != CfaFrom::no_info) return rule;
        }
        return {};
    }
    /// True if a function begins at the byte and no call ends before it.
    bool is_never_returned_to(const Fd& file, uint64_t file_offset, uint64_t& work) {
        const auto address = found_.link_address(file_offset);
        const auto begins = [&](SectionRules& each) { return each.begins(file, *address, work); };
        if (!address || std::ranges::none_of(sections_, begins)) return false;
        std::array<std::byte, longest_call> before{};
        if (file_offset < before.size() || !found_.link_address(file_offset - before.size())) return true;
        const auto read = ::pread(file.get(), before.data(), before.size(),
                                  static_cast<off_t>(file_offset - before.size()));
        return read == static_cast<ssize_t>(before.size()) && !ends_with_call(before, host_machine);
    }
    UnwindRule read_code(const Fd& file, uint64_t file_offset) const {
        if (found_.machine != &unwind_x86_64) return {};
        const CodeWindow code = op::collect::read_code(file, found_, file_offset);
        const UnwindRule rule = rule_by_return_path(code.bytes, code.at);
        return rule.cfa != CfaFrom::no_info ? rule : rule_without_frame(code.bytes, code.at);
    }
    /// About what it takes, in bytes, of which pages.
    uint64_t memory() const noexcept { return sum(&SectionRules::memory); }
    uint64_t page_memory() const noexcept { return sum(&SectionRules::page_memory); }
    void forget_pages() { std::ranges::for_each(sections_, &SectionRules::forget_pages); }
    void forget() { std::ranges::for_each(sections_, &SectionRules::forget); }

private:
    uint64_t sum(uint64_t (SectionRules::*bytes)() const noexcept) const noexcept {
        uint64_t all = 0;
        for (const SectionRules& section : sections_)
            all += (section.*bytes)();
        return all;
    }

    ElfFrames found_;
    std::vector<SectionRules> sections_;
};

FrameTables::FrameTables(bool local, const FrameLimits& limits)
    : local_(local), limits_(limits), work_{work_limit(limits.work), work_limit(limits.work)} {}

FrameTables::~FrameTables() = default;

/// For limits.
uint64_t FrameTables::now() const noexcept {
    return local_ ? monotonic_ns() : stopped_clock;
}

FoundRule FrameTables::find(const Region& region, uint32_t tgid, uint64_t file_offset) {
    if (!has_file(region)) return {};
    Known& file = known(region.image);
    if (!file.frames && !file.is_final) load(file, region, tgid);
    if (!file.frames) return {{}, file.is_final};
    file.used = ++uses_;
    const auto address = file.frames->link_address(file_offset);
    if (!address) return {};
    if (!file.frames->missing(*address)) return {file.frames->find(*address)};
    const auto build = [&](const Fd& fd) { return file.frames->build(fd, *address); };
    if (!read(file, region, tgid, build)) return {{CfaFrom::unsupported}, false};
    const UnwindRule rule = file.frames->find(*address);
    limit_memory(file);
    return {rule};
}

bool FrameTables::has_file(const Region& region) const {
    const bool is_known = local_ || !region.image->build_id.empty();
    const bool is_vdso = region.image->name == vdso_label && !is_other_vdso(region.start.value());
    return is_known && (region.kind == RegionKind::file || is_vdso);
}

FrameTables::Known& FrameTables::known(const ImagePtr& image) {
    const auto it = known_.find(image.get());
    if (it != known_.end() && it->second.image.lock() == image) return it->second;
    if (it == known_.end() && known_.size() >= sweep_at_) sweep();
    Known& entry = known_[image.get()];
    if (entry.frames) memory_ -= entry.frames->memory();
    entry = {};
    entry.image = image;
    entry.serial = ++serials_;
    return entry;
}

/// Forgets images that are gone; rare enough to cost little for each.
void FrameTables::sweep() {
    std::erase_if(known_, [this](const auto& each) {
        const bool is_gone = each.second.image.expired();
        if (is_gone && each.second.frames) memory_ -= each.second.frames->memory();
        return is_gone;
    });
    sweep_at_ = std::max(sweep_at_, 2 * known_.size());
}

/// Limits attempts after one that failed, as strangers choose how many there are.
bool FrameTables::may_open(const Known& file) {
    if (file.next_try == 0) return true;
    const uint64_t time = now();
    if (time < file.next_try || time < next_retry_) return false;
    next_retry_ = time + between_all;
    return true;
}

/// The file; empty if it is not found, or not what it was.
Fd FrameTables::open(Known& file, const Region& region, uint32_t tgid) {
    if (region.kind != RegionKind::file) {
        file.is_trusted = true;
        return local_ || region.image->build_id == own_vdso_build_id() ? own_vdso() : Fd();
    }
    const MappedImage& image = *region.image;
    MappedFileFacts facts{
        tgid, image.name, image.file, image.build_id, region.start.value(), region.end.value(), 0};
    if (!local_) facts = {.path = image.name, .build_id = image.build_id};
    auto found = find_image_file(facts, search_);
    if (!found || (file.frames && (file.mtime != found->mtime || file.size != found->size))) return {};
    file.mtime = found->mtime;
    file.size = found->size;
    file.is_trusted = found->is_trusted;
    return std::move(found->fd);
}

void FrameTables::load(Known& file, const Region& region, uint32_t tgid) {
    if (!may_open(file)) return;
    const Fd fd = open(file, region, tgid);
    file.next_try = fd ? 0 : now() + limits_.retry;
    file.is_final = fd || !local_;
    if (!fd) return;
    try {
        const auto found = find_elf_frames(fd);
        if (!found || found->machine != &host_machine) return;
        forget_unused();
        file.frames = std::make_unique<FileFrames>(*found);
        memory_ += file.frames->memory();
    } catch (const Error&) {
        return;  // it is damaged
    }
}

/// False if the file cannot be read now. `read` takes it and returns the work that this was.
template <class Read>
bool FrameTables::read(Known& file, const Region& region, uint32_t tgid, Read read) {
    constexpr uint64_t open_work = 4096;
    RateLimit& limit = work_[file.is_trusted];
    if (limit.left(now()) == 0 || !may_open(file)) return false;
    const uint64_t before = file.frames->memory();
    const Fd fd = open(file, region, tgid);
    uint64_t work = open_work;
    bool is_read = false;
    if (fd) try {
            work += read(fd);
            is_read = true;
        } catch (const Error&) {
            is_read = false;
        }
    limit.charge(work, now());
    file.next_try = is_read ? 0 : now() + between_builds;
    memory_ += file.frames->memory() - before;
    return is_read;
}

/// Rules that no table has are remembered here: stacks of one place come again and again.
template <class Find>
FoundRule FrameTables::read_rule(const Region& region, uint32_t tgid, uint64_t file_offset, uint8_t number,
                                 Find find) {
    if (!has_file(region)) return {};
    Known& file = known(region.image);
    if (!file.frames && !file.is_final) load(file, region, tgid);
    if (!file.frames) return {{}, file.is_final};
    file.used = ++uses_;
    read_rules_.resize(read_rules);
    const uint64_t hash = (file_offset ^ file.serial << 40 ^ number) * 0x9e3779b97f4a7c15;
    ReadRule& cached = read_rules_[hash >> 32 & (read_rules - 1)];
    if (cached.serial == file.serial && cached.file_offset == file_offset && cached.number == number)
        return {cached.rule};
    UnwindRule rule;
    const auto find_in = [&](const Fd& fd) {
        uint64_t work = 0;
        rule = find(*file.frames, fd, work);
        return work;
    };
    if (!read(file, region, tgid, find_in)) return {{}, false};
    limit_memory(file);
    cached = {file.serial, file_offset, number, rule};
    return {rule};
}

UnwindRule FrameTables::find_register(const Region& region, uint32_t tgid, uint64_t file_offset,
                                      uint8_t number) {
    return read_rule(region, tgid, file_offset, number,
                     [&](FileFrames& frames, const Fd& file, uint64_t& work) {
                         const auto address = frames.link_address(file_offset);
                         return address ? frames.find_register(file, *address, number, work) : UnwindRule{};
                     })
        .rule;
}

UnwindRule FrameTables::read_code(const Region& region, uint32_t tgid, uint64_t file_offset) {
    constexpr uint8_t no_register = 0xff;
    return read_rule(region, tgid, file_offset, no_register,
                     [&](const FileFrames& frames, const Fd& file, uint64_t&) {
                         return frames.read_code(file, file_offset);
                     })
        .rule;
}

FoundRule FrameTables::find_unreturned(const Region& region, uint32_t tgid, uint64_t file_offset) {
    constexpr uint8_t no_call = 0xfe;
    const FoundRule found = find(region, tgid, file_offset);
    if (!may_begin_function(found.rule)) return {{}, found.is_final};
    return read_rule(
        region, tgid, file_offset, no_call, [&](FileFrames& frames, const Fd& file, uint64_t& work) {
            return frames.is_never_returned_to(file, file_offset, work) ? found.rule : UnwindRule{};
        });
}

void FrameTables::forget(Known& file, void (FileFrames::*part)()) {
    memory_ -= file.frames->memory();
    ((*file.frames).*part)();
    memory_ += file.frames->memory();
}

void FrameTables::forget_unused() {
    const uint64_t time = now();
    if (time < next_forgetting_) return;
    next_forgetting_ = time + limits_.unused;
    for (auto& [image, each] : known_)
        if (each.frames && each.used <= uses_before_) forget(each, &FileFrames::forget);
    uses_before_ = uses_;
}

/// Drops the tables of the files that were used longest ago. A file keeps its list of entries however large
/// that is, as long as no other file is asked for.
void FrameTables::limit_memory(Known& newest) {
    if (memory_ <= limits_.memory) return;
    std::vector<Known*> others;
    for (auto& [image, each] : known_)
        if (&each != &newest && each.frames) others.push_back(&each);
    std::ranges::sort(others, {}, &Known::used);
    for (Known* const each : others) {
        if (memory_ <= limits_.memory / 4 * 3) return;
        forget(*each, &FileFrames::forget);
    }
    if (newest.frames->page_memory() > limits_.memory) forget(newest, &FileFrames::forget_pages);
}

}  // namespace op::collect
