// SPDX-License-Identifier: GPL-2.0-or-later
// The text of events/cpu_models as it was at build time (libop/local.mk makes the source file).
#pragma once

namespace op {

extern const char* const cpu_models_data;

}  // namespace op
