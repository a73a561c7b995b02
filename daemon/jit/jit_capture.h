// SPDX-License-Identifier: GPL-2.0-or-later
// Names of code made at run time: notices which processes have such code, has their maps read by readers of
// their own, and keeps the functions that samples and stacks met in the session (doc/FORMATS.md, "Code made
// at run time").
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "daemon/jit/code_hits.h"
#include "daemon/jit/code_watch.h"
#include "daemon/jit/reader_link.h"
#include "daemon/jit/reader_spawner.h"
#include "libop/base/diagnostics.h"
#include "libop/jit/jo_file.h"
#include "libop/session/session.h"

namespace op::collect {

/// Not thread-safe. Waits for readers only in write(), within its limit.
class JitCapture final : public CodeWatch {
public:
    /// Live processes that are watched at a time; there is a reader for each.
    static constexpr size_t most_watched = 256;
    /// Readers at a time, with those of processes that have ended, which write() asks.
    static constexpr size_t most_readers = 1024;
    using Clock = std::chrono::steady_clock;

    /// All must outlive the object. For a process whose reader has not answered within `patience` no sample
    /// waits any more. Processes beyond the `limit` of readers have no names for their code, which is noted.
    JitCapture(SessionWriter& session, ReaderSpawner& spawner, Diagnostics& notes,
               Clock::duration patience = std::chrono::seconds(10), size_t limit = most_readers)
        : session_(session), spawner_(spawner), notes_(notes), patience_(patience), reader_limit_(limit) {}

    /// Of these processes the session has samples of runs before, whose times are not known any more.
    void know_earlier(std::set<uint32_t> tgids) { earlier_ = std::move(tgids); }
    /// From then on its map can be read after its end, too.
    void note(uint32_t tgid, std::string_view program) override;
    void note_mapping(uint32_t tgid, std::string_view path, const FileIdentity& file,
                      std::string_view program) override;
    void end(uint32_t tgid) override;
    /// Waits for readers. Samples of one that does not answer within `limit` wait for the next call.
    void place(std::chrono::milliseconds limit, bool is_last) noexcept override;
    void drop_held() override;
    /// Asks for the names of what the session has, and writes those that come within `limit`; the others are
    /// written by a later call, if this is not the last one. The session's files must have been flushed.
    /// Never throws.
    void write(std::chrono::milliseconds limit, bool is_last) noexcept;
    /// What the session had is gone: all is asked for and written again, and no answer to an earlier question
    /// is written.
    void begin_run();

private:
    enum class Question { none, names, places };
    struct Watch {
        Watch(uint32_t process, std::string path, Fd socket)
            : tgid(process), program(std::move(path)), link(std::move(socket)) {}

        uint32_t tgid;
        std::string program;
        ReaderLink link;
        bool has_ended = false;
        bool was_gone = false;               ///< when end_gone() looked last
        size_t asked = 0;                    ///< addresses of the last question
        bool is_answered = false;            ///< that question
        Question question = Question::none;  ///< that the reader has; none if its answer is of no use
        Clock::time_point asked_at;          ///< when it got that
        bool is_to_ask = false;              ///< for names, once it has answered
        bool is_given_up = false;            ///< nothing is held for it
        bool is_noted = link.is_gone();      ///< that its reader is gone
        bool is_late_noted = false;          ///< that samples did not wait for it any longer
        bool has_dump = false;               ///< it has mapped one
        bool is_timed = true;                ///< all samples that the session has of it were held
        HeldSamples held;
        size_t asked_moments = 0;
        size_t asked_places = 0;  ///< of `held`, the first ones; SIZE_MAX: they are not there any more
        std::optional<ImageName> application;           ///< that its file is of
        std::optional<std::optional<CodeMap>> earlier;  ///< what the session had of that number before
    };

    void write_all(std::chrono::milliseconds limit, bool is_last);
    using AllHits = std::map<uint32_t, CodeHits>;
    AllHits hits_of_all();
    void ask_names(Watch& watch, const AllHits& all, bool is_last);
    template <class Then>
    void await_answers(std::chrono::milliseconds limit, Then then);
    bool is_hanging(const Watch& watch) const;
    void take(Watch& watch, MapAnswer answer);
    void take_names(Watch& watch, MapAnswer answer);
    bool ask_places();
    void take_places(Watch& watch, const MapAnswer& answer);
    void give_up(Watch& watch);
    void give_back(Watch& watch);
    void give_back_late(Watch& watch);
    void note_late(Watch& watch);
    HeldSamples* held_of(uint32_t tgid) override;
    Watch* find(uint32_t tgid) const;
    Watch* find_or_begin(uint32_t tgid, std::string_view program);
    void note_state(const Watch& watch, const MapAnswer& answer);
    void keep(Watch& watch, std::vector<CodeSymbol> symbols);
    void note_unanswered();
    void note_gone();
    void end_gone();
    void forget_ended();

    SessionWriter& session_;
    ReaderSpawner& spawner_;
    Diagnostics& notes_;
    Clock::duration patience_;
    size_t reader_limit_;
    std::list<Watch> watches_;  ///< a process that called exec has one more
    std::map<uint32_t, Watch*> live_;
    std::set<uint32_t> earlier_;  ///< see know_earlier()
    bool has_left_out_ = false;
};

}  // namespace op::collect
