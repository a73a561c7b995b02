// SPDX-License-Identifier: GPL-2.0-or-later
// The asking side of the control socket.
#include "libop/control/control.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>

#include "libop/base/access_policy.h"
#include "libop/base/deadline.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {

namespace {

using std::chrono::milliseconds;

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path)
        throw_usage("control socket " + printable(path) + ": the path is empty or too long");
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

/// Bounds connecting and sending, which wait while the daemon has no room.
void set_send_deadline(const Fd& socket, milliseconds deadline) {
    const timeval limit{deadline.count() / 1000, static_cast<suseconds_t>(deadline.count() % 1000 * 1000)};
    if (::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0)
        throw_system("cannot set a deadline");
}

/// The pid of who listens, if he may be trusted. The credentials are those of the process that began to
/// listen, as it was then.
pid_t check_server(const Fd& socket, const std::string& path) {
    ucred server{};
    socklen_t size = sizeof server;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &server, &size) != 0)
        throw_system("cannot find out who listens on " + path);
    if (!is_trusted_owner(server.uid))
        throw_input("control socket " + path + " belongs to user " + std::to_string(server.uid) +
                    ", who is not trusted");
    return server.pid;
}

bool is_same_directory(const std::string& a, const std::string& b) noexcept {
    struct stat first {
    }, second{};
    return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && is_same_file(first, second);
}

}  // namespace

std::optional<ControlClient> ControlClient::connect(const std::string& path, milliseconds deadline) {
    const sockaddr_un address = address_of(path);
    const std::string shown = printable(path);
    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (!socket) throw_system("cannot create a socket");
    set_send_deadline(socket, deadline);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        if (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR) return std::nullopt;
        if (errno == EAGAIN) throw_system("the daemon at " + shown + " does not answer", ETIMEDOUT);
        throw_system("cannot reach the daemon at " + shown);
    }
    const pid_t server = check_server(socket, shown);
    return ControlClient(std::move(socket), shown, server);
}

ControlReply ControlClient::ask(std::string_view request, milliseconds deadline) {
    set_send_deadline(socket_, deadline);
    if (::send(socket_.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0)
        throw_system("cannot ask the daemon at " + path_, errno == EAGAIN ? ETIMEDOUT : errno);
    if (!wait_readable(socket_.get(), Deadline(deadline))) {
        socket_.reset();
        throw_system("the daemon at " + path_ + " does not answer", ETIMEDOUT);
    }
    std::string packet(control_reply_limit, '\0');
    const ssize_t n = ::recv(socket_.get(), packet.data(), packet.size(), MSG_DONTWAIT);
    if (n < 0) throw_system("no answer from the daemon at " + path_);
    if (n == 0) throw_system("the daemon at " + path_ + " hung up", ECONNRESET);
    packet.resize(n);
    return parse_control_reply(packet);
}

bool ControlClient::wait_closed(milliseconds deadline) noexcept {
    char byte;
    return wait_readable(socket_.get(), Deadline(deadline)) &&
           ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT) <= 0;
}

bool flush_recording_daemon(const std::string& session_dir, milliseconds deadline,
                            const std::string& path) noexcept {
    try {
        const Deadline end(deadline);
        const auto left = [end] { return std::max(end.left(), milliseconds(1)); };  // 0 would be no limit
        auto daemon = ControlClient::connect(path, left());
        if (!daemon) return true;
        const ControlReply status = daemon->ask("status", left());
        const auto dir = status.find("session-dir");
        if (dir && is_same_directory(std::string(*dir), session_dir)) daemon->ask("dump", left());
        return true;
    } catch (const std::exception&) {
        return false;  // the report shows what is there
    }
}

}  // namespace op
