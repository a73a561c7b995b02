// SPDX-License-Identifier: GPL-2.0-or-later
// Counts of words are compared with what is left by division.
#include "daemon/import/gperf_profile.h"

#include <array>

#include "libop/base/error.h"

namespace op::collect {
namespace {

/// Words of the head, of which the second is the number that follow it.
constexpr size_t least_head = 5, most_head = 64;
constexpr size_t head_before_count = 2;

}  // namespace

uint64_t GperfProfile::load(std::span<const std::byte> bytes, const Form& form) noexcept {
    uint64_t value = 0;
    for (size_t i = 0; i < form.size; ++i) {
        const std::byte byte = bytes[form.is_big_endian ? i : form.size - 1 - i];
        value = value << 8 | std::to_integer<uint64_t>(byte);
    }
    return value;
}

/// The head begins with 0, the number of words that follow, and version 0.
std::optional<GperfProfile::Form> GperfProfile::form_of(std::span<const std::byte> bytes) noexcept {
    constexpr std::array<Form, 4> forms{{{8, false}, {8, true}, {4, false}, {4, true}}};
    for (const Form& form : forms) {
        if (bytes.size() / form.size < least_head) continue;
        const uint64_t first = load(bytes, form), follow = load(bytes.subspan(form.size), form),
                       version = load(bytes.subspan(2 * form.size), form);
        if (first == 0 && follow >= least_head - head_before_count && follow <= most_head && version == 0)
            return form;
    }
    return std::nullopt;
}

bool GperfProfile::matches(std::span<const std::byte> bytes) noexcept {
    return form_of(bytes).has_value();
}

GperfProfile::GperfProfile(std::span<const std::byte> bytes, std::string_view label) : bytes_(bytes) {
    const auto form = form_of(bytes);
    if (!form) throw_input(std::string(label) + ": not a CPU profile of gperftools");
    form_ = *form;
    period_us_ = word(3 * form_.size);
    const uint64_t words = head_before_count + word(form_.size);
    if (words > bytes.size() / form_.size) throw_input(std::string(label) + ": cut off in its head");
    begin_ = at_ = words * form_.size;
}

/// A stack of one address, 0, with the count 0 is the end.
std::optional<GperfStack> GperfProfile::next() {
    const uint64_t left = (bytes_.size() - at_) / form_.size;
    const uint64_t count = left < 2 ? 0 : word(at_), depth = left < 2 ? 0 : word(at_ + form_.size);
    if (depth == 0 || depth > left - 2) {
        damage_ = at_;
        return std::nullopt;
    }
    const GperfStack stack{count, bytes_.subspan(at_ + 2 * form_.size, depth * form_.size)};
    if (count == 0 && depth == 1 && address(stack, 0) == 0) {
        end_at_maps();
        return std::nullopt;
    }
    at_ += (2 + depth) * form_.size;
    return stack;
}

void GperfProfile::end_at_maps() {
    const auto text = bytes_.subspan(at_ + 3 * form_.size);
    maps_ = {reinterpret_cast<const char*>(text.data()), text.size()};
}

uint64_t GperfProfile::address(const GperfStack& stack, size_t i) const noexcept {
    return load(stack.words.subspan(i * form_.size), form_);
}

}  // namespace op::collect
