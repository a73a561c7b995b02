// SPDX-License-Identifier: GPL-2.0-or-later
// Curses: keys in, lines out.
#include "utils/optop/screen.h"

#define NCURSES_NOMACROS
#include <curses.h>
#include <langinfo.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <clocale>
#include <cstdio>
#include <cstdlib>

#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/optop/screen_state.h"

namespace op::tool {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int escape_wait = 25;  ///< ms that the rest of a key's sequence may take

/// The terminal, drawn on for the object's lifetime.
class Terminal {
public:
    Terminal() {
        screen_ = ::newterm(nullptr, stdout, stdin);
        if (!screen_) {
            const char* const kind = std::getenv("TERM");
            throw_input(std::string("cannot draw on a terminal of the kind \"") +
                        printable(kind ? kind : "") + "\" (TERM); use --batch");
        }
        ::cbreak();
        ::noecho();
        ::keypad(stdscr, TRUE);
        ::set_escdelay(escape_wait);
        ::curs_set(0);
        // A press and its release come as a click if they are read together. Releases, which do nothing here,
        // are asked for because getch() reads on without its time limit after an event that was not.
        ::mousemask(BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED,
                    nullptr);
        ::mouseinterval(0);
        const char* const no_color = std::getenv("NO_COLOR");
        if ((no_color && *no_color) || !::has_colors()) return;
        ::start_color();
        ::use_default_colors();
        // Blue and orange, as those who do not see red and green apart see them.
        ::init_pair(rise_pair, COLOR_YELLOW, -1);
        ::init_pair(fall_pair, COLOR_CYAN, -1);
        has_colors_ = true;
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;
    ~Terminal() {
        ::endwin();
        ::delscreen(screen_);
    }

    size_t columns() const noexcept { return static_cast<size_t>(std::max(COLS, 1)); }
    size_t rows() const noexcept { return static_cast<size_t>(std::max(LINES, 1)); }

    void draw(const std::vector<ScreenLine>& lines, size_t selected) {
        ::erase();
        for (size_t i = 0; i < lines.size(); ++i) {
            const attr_t look =
                look_of(lines[i].tone) | (i == selected && selected > 0 ? A_REVERSE : A_NORMAL);
            ::attron(static_cast<int>(look));
            ::mvaddstr(static_cast<int>(i), 0, lines[i].text.c_str());
            ::attrset(A_NORMAL);
        }
        ::refresh();
    }
    /// The next key, or ERR after that many ms. The window's size has been taken over if it changed.
    int key(int milliseconds) {
        ::timeout(milliseconds);
        return ::getch();
    }

private:
    static constexpr short rise_pair = 1, fall_pair = 2;

    attr_t look_of(Tone tone) const {
        const auto color = [this](short pair) { return has_colors_ ? COLOR_PAIR(pair) : A_NORMAL; };
        if (tone == Tone::head || tone == Tone::hot) return A_BOLD;
        if (tone == Tone::remark || tone == Tone::rise) return A_BOLD | color(rise_pair);
        return tone == Tone::fall ? color(fall_pair) : A_NORMAL;
    }

    SCREEN* screen_ = nullptr;
    bool has_colors_ = false;
};

ScreenKey meaning(int key) {
    switch (key) {
        case KEY_UP:
            return ScreenKey::up;
        case KEY_DOWN:
            return ScreenKey::down;
        case KEY_PPAGE:
            return ScreenKey::page_up;
        case KEY_NPAGE:
            return ScreenKey::page_down;
        case KEY_HOME:
            return ScreenKey::home;
        case KEY_END:
            return ScreenKey::end;
        case KEY_ENTER:
        case KEY_RIGHT:
        case '\n':
        case '\r':
            return ScreenKey::enter;
        case KEY_LEFT:
        case '\033':
            return ScreenKey::escape;
        case KEY_BACKSPACE:
        case '\b':
        case 0x7f:
            return ScreenKey::erase;
        default:
            return ScreenKey::other;
    }
}

ScreenTask take_mouse(ScreenState& state) {
    MEVENT event{};
    if (::getmouse(&event) != OK) return ScreenTask::none;
    if (event.bstate & BUTTON4_PRESSED) return state.press(ScreenKey::up, 0);
    if (event.bstate & BUTTON5_PRESSED) return state.press(ScreenKey::down, 0);
    if (!(event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))) return ScreenTask::none;
    return state.select_line(static_cast<size_t>(std::max(event.y, 0)));
}

ScreenTask take_key(ScreenState& state, int key) {
    if (key == KEY_MOUSE) return take_mouse(state);
    if (key == KEY_F(1)) return state.press(ScreenKey::other, 'h');
    const ScreenKey meant = meaning(key);
    if (meant == ScreenKey::other && key > 0xff) return ScreenTask::none;  // another function key, a new size
    return state.press(meant, static_cast<char>(key));
}

int milliseconds_until(Clock::time_point then) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(then - Clock::now()).count();
    return static_cast<int>(std::max<decltype(left)>(left, 0));
}

/// What is shown, and how it is made.
class LiveScreen {
public:
    LiveScreen(LiveView& view, const ScreenParts& parts)
        : view_(view), parts_(parts), state_(parts.delay, Signs::of(has_unicode())) {
        state_.set_view(parts.span, parts.order);
        make();
    }

    void run() {
        Clock::time_point last = Clock::now();
        while (!state_.is_quitting()) {
            const auto lines = state_.lines(picture_, terminal_.columns(), terminal_.rows());
            terminal_.draw(lines, state_.selected_line());  // which lines() has found
            const int key = terminal_.key(milliseconds_until(last + pause()));
            if (key == ERR) {
                if (!::isatty(STDIN_FILENO)) return;  // the terminal is gone
                if (!state_.is_frozen()) look();
                last = Clock::now();
            } else {
                do_task(take_key(state_, key));
            }
        }
    }

private:
    Clock::duration pause() {
        return std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(state_.pace().interval()));
    }
    void look() {
        const double before = cpu_seconds();
        view_.look();
        make();
        state_.pace().spent(cpu_seconds() - before);
    }
    void make() {
        const RowWish wish = state_.wish(view_.events());
        picture_ = view_.picture(state_.span(), wish);
        picture_.interval = state_.pace().is_stretched() ? state_.pace().interval() : 0;
        if (state_.panel() == Panel::code)
            state_.set_code(view_.code(state_.span(), wish.event, state_.subject()));
        if (state_.panel() == Panel::calls) state_.set_calls(calls(wish.event));
    }
    RowCalls calls(uint32_t event) {
        const RowPlace& place = state_.subject().place;
        if (!place.image || !place.app || !place.start) {
            RowCalls none;
            none.remark = "only a function has callers and callees";
            return none;
        }
        return parts_.calls_of(
            {view_.event(event), view_.placed_name(*place.image), view_.name(*place.app), *place.start});
    }
    void do_task(ScreenTask task) {
        if (task == ScreenTask::none) return;
        if (task == ScreenTask::set_base || task == ScreenTask::clear_base)
            view_.set_base(task == ScreenTask::set_base);
        if (task == ScreenTask::write_text)
            return write(PictureFile::text, picture_text(picture_, Signs::of(true)));
        if (task == ScreenTask::write_json) return write(PictureFile::json, picture_json(picture_));
        if (task == ScreenTask::write_page) return write(PictureFile::page, "");
        make();
    }
    /// A file that cannot be written does not end the view.
    void write(PictureFile kind, const std::string& content) {
        try {
            state_.set_notice("written: " + parts_.files.write(kind, content));
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::internal) throw;
            state_.set_notice(printable(error.what()));
        }
    }

    LiveView& view_;
    const ScreenParts& parts_;
    ScreenState state_;
    Terminal terminal_;
    Picture picture_;
};

}  // namespace

bool has_screen() noexcept {
    return ::isatty(STDIN_FILENO) && ::isatty(STDOUT_FILENO);
}

bool has_unicode() {
    std::setlocale(LC_CTYPE, "");
    return std::string_view(::nl_langinfo(CODESET)) == "UTF-8";
}

double cpu_seconds() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(nanoseconds(time)) * 1e-9;
}

void show_screen(LiveView& view, const ScreenParts& parts) {
    LiveScreen(view, parts).run();
}

}  // namespace op::tool
