// SPDX-License-Identifier: GPL-2.0-or-later
// A child process that keeps the rights which its parent gives up.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"

namespace op::tool {

/// A child that answers requests of this process, one at a time, until the object is destroyed or this
/// process ends. To be made before there are threads.
class Helper {
public:
    /// Called in the child with each request; returns the reply. What it throws is thrown by ask().
    using Answer = std::function<std::string(std::string_view request)>;

    /// Starts the child. What `answer` adds to `notes` in the child, ask() adds to them in this process. They
    /// must outlive the object. Throws a system error.
    Helper(const Answer& answer, Diagnostics& notes);
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;
    /// Waits for the end of the child.
    ~Helper();

    /// The reply to a request of any bytes; waits for it. Throws the Error that the child threw, or a system
    /// error if the child is gone.
    std::string ask(std::string_view request);
    /// This end of the connection.
    int descriptor() const noexcept { return socket_.get(); }

private:
    Diagnostics& notes_;
    Fd socket_;
    pid_t child_ = -1;
};

}  // namespace op::tool
