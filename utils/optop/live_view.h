// SPDX-License-Identifier: GPL-2.0-or-later
// From a session that is being recorded to pictures of it: what batch output and the screen have in common.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "utils/optop/code_rows.h"
#include "utils/optop/live_rows.h"
#include "utils/optop/live_session.h"
#include "utils/optop/live_symbols.h"
#include "utils/optop/picture.h"

namespace op::tool {

/// Looks at one session.
class LiveView {
public:
    /// `flush` is called before each look: it has a daemon write its samples. `notes` must outlive the
    /// object.
    LiveView(const std::string& session_dir, SymbolPlaces places, std::function<void()> flush,
             Diagnostics& notes);

    /// Reads the session; picture() shows it. The first time the window is empty. Throws as
    /// LiveSession::look().
    void look();
    /// The picture of the last look, after the end of the recording of the last one that found samples. The
    /// wish's portions follow from the span.
    Picture picture(Span span, RowWish wish);
    /// The instructions of a row's function with their samples of the span; empty if it has none.
    std::vector<CodeRow> code(Span span, uint32_t event, const LiveRow& row);
    /// What is counted now becomes the baseline, or the baseline is dropped.
    void set_base(bool is_wanted);

    /// The events that have samples, numbers of LiveSession::events(); the first has the most at the first
    /// look that found any.
    const std::vector<uint32_t>& events() const noexcept { return events_; }
    const SampleClass& event(uint32_t number) const { return session_.events()[number]; }
    /// The name of a place of a row.
    const ImageName& name(uint32_t number) const { return session_.names()[number]; }
    /// The image that its symbols are of: itself, but for code that was made at run time.
    ImageName placed_name(uint32_t number) const { return symbols_.place(name(number)); }
    const LiveState& state() const noexcept { return state_; }
    /// The open session; null before it was there.
    const SessionReader* reader() const noexcept { return session_.reader(); }

private:
    struct Portions {
        Portion now, before;
        double seconds = 0;
    };

    Portions portions(Span span) const;
    std::set<uint32_t> anonymous_processes() const;

    LiveSession session_;
    LiveSymbols symbols_;
    std::function<void()> flush_;
    RowMaker rows_;
    LiveState state_;
    std::vector<uint32_t> events_;
    double began_, seen_ = 0;  ///< seconds of the clock; that of the last look that counts
    uint32_t generation_ = 0;  ///< of the session that the symbols are of
};

}  // namespace op::tool
