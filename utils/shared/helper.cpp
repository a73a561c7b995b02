// SPDX-License-Identifier: GPL-2.0-or-later
// Requests and replies are frames on a socket pair: the length as 8 bytes of this machine, then the content.
// A reply is a frame for each note, which begins with '*', and one that begins with '+', or with '-', the
// kind of the error and its errno value.
#include "utils/shared/helper.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>

#include "libop/base/child_signal.h"
#include "libop/base/error.h"
#include "utils/shared/ignored_signal.h"

namespace op::tool {

namespace {

constexpr size_t piece = size_t{1} << 16;

/// How an error looks in a reply.
struct ErrorHead {
    ErrorKind kind;
    int code;
};

template <class Value>
std::string bytes_of(const Value& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// The next bytes, as many as wanted; none at the end of the stream. The memory grows with what comes, not
/// with what is promised.
std::optional<std::string> receive_bytes(const Fd& socket, uint64_t wanted) {
    std::string bytes;
    while (bytes.size() < wanted) {
        const size_t done = bytes.size();
        bytes.resize(done + std::min<uint64_t>(wanted - done, piece));
        const ssize_t n = ::read(socket.get(), bytes.data() + done, bytes.size() - done);
        if (n == 0 || (n < 0 && errno != EINTR)) return std::nullopt;
        bytes.resize(done + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    }
    return bytes;
}

std::optional<std::string> receive(const Fd& socket) {
    const auto head = receive_bytes(socket, sizeof(uint64_t));
    if (!head) return std::nullopt;
    uint64_t length = 0;
    std::memcpy(&length, head->data(), sizeof length);
    return receive_bytes(socket, length);
}

bool send(const Fd& socket, std::string_view content) noexcept {
    const uint64_t length = content.size();
    const std::string_view head(reinterpret_cast<const char*>(&length), sizeof length);
    return write_part(socket.get(), head) == head.size() &&
           write_part(socket.get(), content) == content.size();
}

std::string reply_to(std::string_view request, const Helper::Answer& answer) {
    try {
        return "+" + answer(request);
    } catch (const Error& error) {
        return "-" + bytes_of(ErrorHead{error.kind(), error.code()}) + error.what();
    } catch (const std::exception& error) {
        return "-" + bytes_of(ErrorHead{ErrorKind::internal, 0}) + error.what();
    }
}

/// The child's life. It ends by _exit: what the parent registered for its own end is not the child's.
[[noreturn]] void serve(const Fd& socket, pid_t parent, const Helper::Answer& answer, Diagnostics& notes) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    const IgnoredSignal no_pipe(SIGPIPE);
    notes.take();  // the parent's
    while (::getppid() == parent) {
        const auto request = receive(socket);
        if (!request) break;
        const std::string reply = reply_to(*request, answer);
        for (const std::string& note : notes.take())
            send(socket, '*' + note);
        if (!send(socket, reply)) break;
    }
    ::_exit(0);
}

}  // namespace

Helper::Helper(const Answer& answer, Diagnostics& notes) : notes_(notes) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw_system("cannot make a socket");
    socket_.reset(ends[0]);
    const Fd other(ends[1]);
    keep_child_statuses();
    const pid_t parent = ::getpid();
    child_ = ::fork();
    if (child_ < 0) throw_system("cannot start a helper process");
    if (child_ > 0) return;
    socket_.reset();
    serve(other, parent, answer, notes);
}

Helper::~Helper() {
    socket_.reset();
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::string Helper::ask(std::string_view request) {
    const IgnoredSignal no_pipe(SIGPIPE);
    auto reply = send(socket_, request) ? receive(socket_) : std::nullopt;
    for (; reply && reply->starts_with('*'); reply = receive(socket_))
        notes_.warn(reply->substr(1));
    if (!reply || reply->empty()) throw_system("the helper process is gone", ECONNRESET);
    if (reply->front() == '+') return reply->substr(1);
    ErrorHead head{};
    if (reply->size() <= sizeof head) throw_system("the helper process is gone", ECONNRESET);
    std::memcpy(&head, reply->data() + 1, sizeof head);
    throw Error(head.kind, reply->substr(1 + sizeof head), head.code);
}

}  // namespace op::tool
