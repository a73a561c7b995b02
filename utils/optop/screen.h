// SPDX-License-Identifier: GPL-2.0-or-later
// The full-screen view: the one door to curses.
#pragma once

#include "utils/optop/live_view.h"
#include "utils/optop/picture_files.h"
#include "utils/optop/row_calls.h"

namespace op::tool {

/// What the screen needs besides the view.
struct ScreenParts {
    CallsOf calls_of;
    PictureFiles& files;
    double delay;  ///< seconds between looks
    Span span;
    RowOrder order;
};

/// Shows the view on the terminal until the user quits. Throws an input error if the terminal cannot be drawn
/// on, else as LiveView::look(); the terminal is then as it was before.
void show_screen(LiveView& view, const ScreenParts& parts);

/// True if standard input and output are a terminal.
bool has_screen() noexcept;

/// True if the user's locale has characters beyond ASCII. Takes over its characters for this process.
bool has_unicode();

/// Seconds of CPU time that this process has used.
double cpu_seconds() noexcept;

}  // namespace op::tool
