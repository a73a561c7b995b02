// SPDX-License-Identifier: GPL-2.0-or-later
// The recorder's end of the socket to a reader. Never waits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "daemon/jit/reader_messages.h"
#include "libop/base/fd.h"

namespace op::collect {

class ReaderLink {
public:
    explicit ReaderLink(Fd socket) : socket_(std::move(socket)) {}

    /// The process has ended.
    void seal();
    /// A process has one jitdump; it may map others, or one very often, while its reader is stopped.
    static constexpr size_t most_named_dumps = 64;
    /// The process has mapped its jitdump, with that path of its own. Ignored after most_named_dumps calls.
    void name_dump(std::string_view path);
    /// Asks for the functions at sorted addresses, of which there are at most most_wanted_addresses;
    /// `is_timed` as DumpCode's. One question at a time, of either kind.
    void ask(std::span<const uint64_t> addresses, bool is_timed = false);
    /// Asks for the generations of moments, of which there are at most most_moments.
    void ask_places(std::span<const CodeMoment> moments);
    /// A question was asked and not answered; no if the reader is gone.
    bool is_waiting() const noexcept { return is_waiting_ && socket_; }
    bool is_gone() const noexcept { return !socket_; }
    /// Sends and receives what can be now. Returns the answer once it is whole; a wrong one ends the link.
    std::optional<MapAnswer> pump();

    int fd() const noexcept { return socket_.get(); }
    /// Of poll(2).
    short events() const noexcept;

private:
    template <class T>
    void put_question(ReaderCommand command, std::span<const T> items);
    void send_some();
    void receive_some();

    Fd socket_;
    std::string out_, in_;
    size_t sent_ = 0, named_dumps_ = 0;
    bool is_waiting_ = false;
};

}  // namespace op::collect
