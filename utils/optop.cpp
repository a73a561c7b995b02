// SPDX-License-Identifier: GPL-2.0-or-later
// optop: where the samples of a session that is being recorded fall now. The order of the steps; starts operf
// on request, and takes no samples itself.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/live_calls.h"
#include "utils/optop/live_view.h"
#include "utils/optop/pace.h"
#include "utils/optop/picture_files.h"
#include "utils/optop/recorder.h"
#include "utils/optop/screen.h"
#include "utils/outside.h"
#include "utils/report_options.h"
#include "utils/shared/options.h"

namespace op::tool {
namespace {

constexpr uint64_t usual_rows = 20;
constexpr double usual_delay = 2;
constexpr const char* operf_directory = "oprofile_data";  ///< where operf records by default
/// While operf starts, its session is looked for this often.
constexpr double start_delay = 0.1;

struct TopOptions {
    CommonOptions common;
    bool batch = false, system_wide = false;
    std::optional<uint64_t> rounds, rows;
    std::string delay, events, sort, view, format;

    CommandSyntax syntax() {
        CommandSyntax s;
        s.synopsis = "[--system-wide | COMMAND [ARGUMENTS]]";
        s.stop_at_first_word = true;
        s.options = {
            {"batch", 'b', &batch, "print plain text, a block for each round, instead of drawing a screen"},
            {"iterations", 'n', &rounds, "rounds of --batch (default: until the recording ends)", "NUMBER"},
            {"delay", 'd', &delay, "seconds between two looks, 0.5 to 60 (default 2)", "SECONDS"},
            {"rows", 'E', &rows, "rows of --batch (default 20; 0: all)", "NUMBER"},
            {"view", 0, &view,
             "samples of the last window, of the last minute or since the start (default window)", "VIEW"},
            {"sort", 's', &sort, "order rows by samples or change (default samples)", "ORDER"},
            {"format", 0, &format, "text or json, a line for each round of --batch (default text)", "FORMAT"},
            {"system-wide", 'a', &system_wide, "start operf for the whole system"},
            {"events", 'e', &events, "events for the operf that is started", "LIST"},
        };
        for (const Option& option : common.table())
            if (std::string_view(option.long_name) != "threshold") s.options.push_back(option);
        return s;
    }
    double delay_seconds() const;
    RowOrder order() const;
    Span span() const;
    bool is_json() const;
    size_t most_rows() const {
        const uint64_t n = rows.value_or(usual_rows);
        return n == 0 ? std::numeric_limits<size_t>::max() : n;
    }
};

double TopOptions::delay_seconds() const {
    if (delay.empty()) return usual_delay;
    double value = 0;
    const auto [end, error] = std::from_chars(delay.data(), delay.data() + delay.size(), value);
    if (error != std::errc{} || end != delay.data() + delay.size() ||
        !(value >= Pace::least && value <= Pace::most))
        throw_usage("--delay=" + delay + ": must be a number of seconds from 0.5 to 60");
    return value;
}

RowOrder TopOptions::order() const {
    if (sort.empty() || sort == "samples") return RowOrder::samples;
    if (sort == "change") return RowOrder::change;
    throw_usage("--sort=" + sort + ": must be samples or change");
}

Span TopOptions::span() const {
    if (view.empty() || view == "window") return Span::window;
    if (view == "minute") return Span::minute;
    if (view == "start") return Span::start;
    throw_usage("--view=" + view + ": must be window, minute or start");
}

bool TopOptions::is_json() const {
    if (format.empty() || format == "text") return false;
    if (format == "json") return true;
    throw_usage("--format=" + format + ": must be text or json");
}

/// Waits; true if the descriptor became readable, or was closed at its other end, meanwhile.
bool wait_for(int descriptor, double seconds) {
    pollfd fd{descriptor, POLLIN, 0};
    return ::poll(&fd, 1, static_cast<int>(std::lround(seconds * 1000))) > 0;
}

/// One look after the other.
class Top {
public:
    Top(const TopOptions& o, LiveView& view, Fd ended)
        : o_(o),
          view_(view),
          ended_(std::move(ended)),
          pace_(o.delay_seconds()),
          signs_(Signs::of(has_unicode())) {}

    /// `files` is null with --batch.
    int run(const CallsOf& calls_of, PictureFiles* files) {
        if (ended_) await_session();
        view_.look();
        if (!view_.state().is_there) throw_input(why_no_session());
        was_recorded_ = view_.state().is_recorded;
        if (!files) return print_rounds();
        show_screen(view_, {calls_of, *files, pace_.asked(), span(), o_.order()});
        return 0;
    }

private:
    std::string why_no_session() const {
        if (ended_) return "operf ended before it recorded anything";
        return printable(o_.common.session_dir) +
               " has no session to look at; record one with operf, or from here: optop COMMAND";
    }
    /// Until the operf that was started records into a session of its own.
    void await_session() {
        const uint64_t began = epoch_seconds();
        while (!is_session_since(began))
            if (wait_for(ended_.get(), start_delay)) return;
    }
    bool is_session_since(uint64_t began) {
        Diagnostics ignored;
        view_.look();
        if (!view_.state().is_there || !view_.reader()) return false;
        const auto info = view_.reader()->info(ignored);
        return info && info->start_time + 1 >= began;
    }
    /// Where nothing is being recorded, the last window is empty.
    Span span() const {
        if (!o_.view.empty() || ended_) return o_.span();
        return was_recorded_ ? Span::window : Span::start;
    }
    void print_round(bool is_first) {
        RowWish wish;
        if (!view_.events().empty()) wish.event = view_.events().front();
        wish.rows = o_.most_rows();
        wish.order = o_.order();
        Picture picture = view_.picture(span(), wish);
        // The samples of the last window were in the round before.
        if (!picture.state.is_there && picture.span == Span::window) picture.rows = {};
        picture.interval = pace_.is_stretched() ? pace_.interval() : 0;
        if (o_.is_json()) return write_stdout(picture_json(picture));
        write_stdout((is_first ? "" : "\n") + picture_text(picture, signs_));
    }
    int print_rounds() {
        if (!view_.state().is_recorded && !ended_) {
            print_round(true);
            return 0;
        }
        for (uint64_t round = 0; !o_.rounds || round < *o_.rounds; ++round) {
            const bool has_ended = wait_for(ended_ ? ended_.get() : -1, pace_.interval());
            const double before = cpu_seconds();
            view_.look();
            print_round(round == 0);
            // Symbol tables are read in the first round, which is not what a round costs.
            if (round > 0) pace_.spent(cpu_seconds() - before);
            if (!view_.state().is_there) return 1;
            if (has_ended || !view_.state().is_recorded) return 0;
        }
        return 0;
    }

    const TopOptions& o_;
    LiveView& view_;
    Fd ended_;
    Pace pace_;
    Signs signs_;
    bool was_recorded_ = false;  ///< at the first look
};

RecorderPlan plan_of(const TopOptions& o, const std::vector<std::string>& words) {
    RecorderPlan plan{.words = {}, .is_quiet = !o.batch};
    // operf makes its default directory, but no other one.
    if (!o.common.session_dir.empty()) plan.words = {"--session-dir", o.common.session_dir};
    if (!o.events.empty()) plan.words.insert(plan.words.end(), {"--events", o.events});
    if (o.system_wide) plan.words.emplace_back("--system-wide");
    plan.words.insert(plan.words.end(), words.begin(), words.end());
    return plan;
}

/// The arguments of opreport for the same session and symbols.
std::vector<std::string> page_words(const CommonOptions& o) {
    std::vector<std::string> words{"--session-dir=" + o.session_dir};
    if (!o.root.empty()) words.push_back("--root=" + o.root);
    for (const std::string& path : o.image_paths)
        words.push_back("--image-path=" + list_part(path));
    if (!o.vmlinux.empty()) words.push_back("--vmlinux=" + o.vmlinux);
    if (!o.debuginfod.empty()) words.push_back("--debuginfod=" + o.debuginfod);
    if (o.trust_path) words.emplace_back("--trust-path");
    if (o.no_sandbox) words.emplace_back("--no-sandbox");
    return words;
}

void check(const TopOptions& o, bool starts_operf) {
    o.common.check();
    o.delay_seconds();
    o.order();
    o.span();
    if (o.is_json() && !o.batch) throw_usage("--format=json needs --batch");
    if (o.rounds && !o.batch) throw_usage("--iterations needs --batch");
    if (o.rows && !o.batch) throw_usage("--rows needs --batch: a screen has as many as it has room for");
    if (!o.events.empty() && !starts_operf)
        throw_usage("--events is for an operf that is started: name a program, or give --system-wide");
    if (!o.batch && !has_screen())
        throw_usage("standard input and output are not both a terminal: use --batch");
}

int optop(Tool& tool, int argc, char** argv) {
    TopOptions o;
    const ParsedOptions parsed = parse_options(argc, argv, o.syntax());
    if (parsed.exit_status) return *parsed.exit_status;
    const bool starts_operf = o.system_wide || !parsed.words.empty();
    check(o, starts_operf);
    Fd ended;
    if (starts_operf)
        if (const auto status = record_beside(plan_of(o, parsed.words), ended)) return *status;
    if (o.common.session_dir.empty())
        o.common.session_dir = starts_operf ? operf_directory : default_session_dir();
    std::optional<PictureFiles> files;
    if (!o.batch) files.emplace(page_words(o.common), tool.notes);
    OutsidePlan plan{.profiles = {{}}, .flushes_daemon = true};
    if (files) plan.descriptors.push_back(files->descriptor());
    Outside outside(o.common, plan, tool);
    const SymbolPlaces places{o.common.root, o.common.image_paths, o.common.vmlinux, o.common.trust_path,
                              outside.by_build_id()};
    LiveView view(
        o.common.session_dir, places, [&outside] { outside.flush_daemon(); }, tool.notes);
    const CallsOf calls_of = [&](const CalledFunction& function) {
        return read_calls(o.common, outside, function);
    };
    return Top(o, view, std::move(ended)).run(calls_of, files ? &*files : nullptr);
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::optop);
}
