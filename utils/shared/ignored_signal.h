// SPDX-License-Identifier: GPL-2.0-or-later
// A signal that is ignored for a while.
#pragma once

#include <csignal>

namespace op::tool {

/// A signal that does not end this process during the object's lifetime; as it was before afterwards.
class IgnoredSignal {
public:
    explicit IgnoredSignal(int number) noexcept : number_(number) {
        struct sigaction ignore {};
        ignore.sa_handler = SIG_IGN;
        ::sigaction(number_, &ignore, &before_);
    }
    IgnoredSignal(const IgnoredSignal&) = delete;
    IgnoredSignal& operator=(const IgnoredSignal&) = delete;
    ~IgnoredSignal() { ::sigaction(number_, &before_, nullptr); }

private:
    int number_;
    struct sigaction before_ {};
};

}  // namespace op::tool
