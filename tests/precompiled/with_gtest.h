// SPDX-License-Identifier: GPL-2.0-or-later
// What most unit tests include. No file includes this one: see local.mk.
#include <gtest/gtest.h>

#include "tests/precompiled/standard.h"
