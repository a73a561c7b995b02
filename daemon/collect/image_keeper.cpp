// SPDX-License-Identifier: GPL-2.0-or-later
// A copy is made when the first sample of the image is stored: later its last process may be gone.
#include "daemon/collect/image_keeper.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "daemon/source/image_file.h"
#include "daemon/source/own_vdso.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::collect {

namespace {

/// True if no other copy would have better luck; else one file could not be read.
bool is_of_session(const Error& error) {
    constexpr int codes[] = {ENOSPC, EDQUOT, EROFS, ENOTDIR, EACCES, EPERM};
    return std::ranges::find(codes, error.code()) != std::end(codes);
}

}  // namespace

bool ImageKeeper::keep(const MappedFileFacts& facts) {
    if (facts.build_id.empty()) return false;
    const auto found = find_image_file(facts, search_);
    if (!found) return false;
    if (found->is_here) return true;
    copy_or_note(found->build_id, found->fd, printable(facts.path));
    return true;
}

// One that is too large is not noted: it is where it was, and reports have its symbols until it is built
// again.
bool ImageKeeper::keep_build(const MappedFileFacts& facts) {
    const auto found = find_image_file({.path = facts.path, .build_id = facts.build_id}, search_);
    if (!found || !found->is_here) return true;
    try {
        copy(found->build_id, found->fd);
        return true;
    } catch (const Error& error) {
        notes_.warn(std::string(error.what()) + ": " + printable(facts.path) +
                    " is not kept; reports have its symbols until it is built again");
        return !is_of_session(error);
    }
}

void ImageKeeper::keep_vdso() {
    copy_or_note(own_vdso_build_id(), own_vdso(), vdso_label);
}

void ImageKeeper::copy_or_note(const std::string& build_id, const Fd& file, const std::string& label) {
    try {
        if (!copy(build_id, file)) note_left_out(label + " is too large to be kept in the session");
    } catch (const Error& error) {
        note_left_out(std::string(error.what()) + ": " + label + " is not kept");
    }
}

bool ImageKeeper::copy(const std::string& build_id, const Fd& file) {
    const auto kept = session_.keep_image(build_id, file, room());
    copied_ += kept.value_or(0);
    room() -= kept.value_or(0);
    return kept.has_value();
}

uint64_t& ImageKeeper::room() {
    if (!room_) room_ = kept_images_limit - std::min(kept_images_limit, session_.kept_image_bytes());
    return *room_;
}

void ImageKeeper::note_left_out(const std::string& what) {
    if (std::exchange(is_noted_, true)) return;
    notes_.warn(what +
                "; its path leads to no file or another one here, so that reports will lack its symbols");
}

}  // namespace op::collect
