// SPDX-License-Identifier: GPL-2.0-or-later
// The steps of one look: files, events, symbols.
#include "utils/optop/live_view.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "libop/base/counted.h"
#include "libop/session/event_label.h"

namespace op::tool {

namespace {

constexpr double minute = 60;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// How many sample files may be kept open: as many as the limit allows, raised as far as that is allowed,
/// less some for everything else.
size_t most_open_files() {
    constexpr rlim_t others = 128;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    limit.rlim_cur = std::max(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, LiveSession::most_files));
    ::setrlimit(RLIMIT_NOFILE, &limit);
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= others) return 0;
    return static_cast<size_t>(limit.rlim_cur - others);
}

std::string percent_text(uint64_t part, uint64_t whole) {
    return whole == 0 ? "0" : fixed(100.0 * static_cast<double>(part) / static_cast<double>(whole), 2);
}

/// What the recorder lost, as far as its last account reports it; a line for each cause.
std::vector<std::string> losses_of(const SessionInfo& info) {
    std::map<LossCause, uint64_t> by_cause;
    for (const auto& [where, samples] : info.ledger.losses())
        if (!is_unwanted(where.first)) by_cause[where.first] = add_saturating(by_cause[where.first], samples);
    std::vector<std::string> lines;
    for (const auto& [cause, samples] : by_cause)
        lines.push_back("lost: " + counted(samples, "sample") + " (" +
                        percent_text(samples, info.ledger.sampled()) +
                        " %): " + std::string(loss_text(cause)));
    return lines;
}

}  // namespace

LiveView::LiveView(const std::string& session_dir, SymbolPlaces places, std::function<void()> flush,
                   Diagnostics& notes)
    : session_(session_dir, most_open_files()),
      symbols_(std::move(places), notes),
      flush_(std::move(flush)),
      began_(now()) {}

std::set<uint32_t> LiveView::anonymous_processes() const {
    std::set<uint32_t> tgids;
    for (const ImageName& name : session_.names())
        if (name.kind == ImageName::Kind::anon && name.tgid != 0) tgids.insert(name.tgid);
    return tgids;
}

void LiveView::look() {
    flush_();
    const double time = now() - began_;
    const uint64_t looks = session_.looks();
    state_ = session_.look(time);
    if (session_.looks() != looks) seen_ = time;
    if (state_.has_restarted) events_.clear();
    for (const uint32_t event : live_events(session_))
        if (std::ranges::find(events_, event) == events_.end()) events_.push_back(event);
    if (!session_.reader()) return;
    const bool is_another = generation_ != session_.generation();
    if (symbols_.follow(*session_.reader(), is_another, anonymous_processes())) rows_.forget();
    generation_ = session_.generation();
}

void LiveView::set_base(bool is_wanted) {
    if (is_wanted)
        session_.set_base();
    else
        session_.clear_base();
}

LiveView::Portions LiveView::portions(Span span) const {
    Portions made;
    const Portion base{session_.base_time() ? Portion::Kind::before_base : Portion::Kind::nothing};
    if (span == Span::start) {
        made.now.kind = Portion::Kind::since_base;
        made.before = base;
        made.seconds = session_.base_time() ? seen_ - *session_.base_time() : 0;
        return made;
    }
    const uint64_t last = session_.looks();
    Looks now{last, last}, before{last - 1, last - 1};
    if (span == Span::minute) {
        now = session_.looks_between(seen_ - minute, seen_);
        before = session_.looks_between(seen_ - 2 * minute, seen_ - session_.seconds(now));
    }
    made.now = {Portion::Kind::looks, now};
    made.seconds = session_.seconds(now);
    made.before = session_.base_time() ? base : Portion{Portion::Kind::looks, before};
    if (!session_.base_time() && session_.seconds(before) == 0) made.before = {};
    return made;
}

Picture LiveView::picture(Span span, RowWish wish) {
    const Portions portions = this->portions(span);
    wish.now = portions.now;
    wish.before = portions.before;
    Picture picture;
    picture.span = span;
    picture.group = wish.group;
    if (!events_.empty()) {
        const SampleClass& event = session_.events()[wish.event];
        picture.event = event_label(event.event, event.count, event.unit_mask);
    }
    picture.seconds = portions.seconds;
    picture.has_base = session_.base_time().has_value();
    picture.state = state_;
    if (symbols_.info()) picture.facts = losses_of(*symbols_.info());
    for (const auto& [path, file] : session_.files())
        if (file.event == wish.event)
            picture.total +=
                file.counts.sum({Portion::Kind::since_base}) + file.counts.sum({Portion::Kind::before_base});
    picture.rows = rows_.make(session_, wish, [this](const ImageName& image, const SampleHeader& header) {
        return symbols_.symbols(image, header);
    });
    return picture;
}

std::vector<CodeRow> LiveView::code(Span span, uint32_t event, const LiveRow& row) {
    if (!row.place.image || !row.place.start) return {};
    const ImageName& image = session_.names()[*row.place.image];
    std::map<uint64_t, uint64_t> samples;  // by key
    const SampleHeader* header = nullptr;
    const Portion now = portions(span).now;
    for (const auto& [path, file] : session_.files()) {
        if (file.event != event || file.image != *row.place.image || file.app != row.place.app) continue;
        header = &file.counts.header();
        file.counts.visit(
            now, [&, &keys = file.counts.keys()](uint32_t key, uint64_t n) { samples[keys[key]] += n; });
    }
    if (!header) return {};
    return code_rows(symbols_.symbols(image, *header), *row.place.start, samples, symbols_.file(image));
}

}  // namespace op::tool
