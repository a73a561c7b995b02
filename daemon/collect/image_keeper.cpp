// SPDX-License-Identifier: GPL-2.0-or-later
// A copy is made when the first sample of the image is stored: later its last process may be gone.
#include "daemon/collect/image_keeper.h"

#include <algorithm>
#include <utility>

#include "daemon/source/image_file.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::collect {

bool ImageKeeper::keep(const MappedFileFacts& facts) {
    if (facts.build_id.empty()) return false;
    const auto found = find_image_file(facts, search_);
    if (!found) return false;
    if (found->is_here) return true;
    try {
        const auto kept = session_.keep_image(found->build_id, found->fd, room());
        copied_ += kept.value_or(0);
        if (kept)
            room() -= *kept;
        else
            note_left_out(printable(facts.path) + " is too large to be kept in the session");
    } catch (const Error& error) {
        note_left_out(std::string(error.what()) + ": " + printable(facts.path) + " is not kept");
    }
    return true;
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
