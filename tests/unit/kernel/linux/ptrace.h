// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's header of this name, for unit tests.
#include "tests/unit/kernel/double.h"
