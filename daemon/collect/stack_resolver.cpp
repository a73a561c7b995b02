// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/stack_resolver.h"

#include <type_traits>
#include <variant>

namespace op::collect {

Record StackResolver::resolve(const Record& record) {
    if (const auto* const sample = std::get_if<Sample>(&record)) {
        if (!sample->user_stack) return record;
        Sample walked = *sample;
        walked.stack_end = walker_.walk(*sample, chain_);
        walked.chain = chain_;
        walked.user_stack = nullptr;
        return walked;
    }
    std::visit(
        [this](const auto& r) {
            if constexpr (requires { table_.apply(r); }) table_.apply(r);
            if constexpr (std::is_same_v<std::decay_t<decltype(r)>, LostSideBand>) table_.lose_track();
        },
        record);
    return record;
}

}  // namespace op::collect
