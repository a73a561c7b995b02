// SPDX-License-Identifier: GPL-2.0-or-later
// Reports the state of the daemon to a service manager by the NOTIFY_SOCKET protocol of sd_notify(3), without
// libsystemd.
#pragma once

#include <string_view>

namespace op::collect {

/// Sends a state ("READY=1", "STOPPING=1", "STATUS=...") to the service manager that started this process, if
/// one did. Failure is ignored: the manager notices by itself.
void notify_service_manager(std::string_view state) noexcept;

}  // namespace op::collect
