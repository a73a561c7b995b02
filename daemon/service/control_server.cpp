// SPDX-License-Identifier: GPL-2.0-or-later
// The control socket's answering side over epoll.
#include "daemon/service/control_server.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "libop/base/access_policy.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

constexpr int backlog = 64;
constexpr int accepts_a_turn = 16;
constexpr int events_a_turn = 16;

/// Held by the living daemon however it ends; only its user may open it, so that nobody else can hold it.
Fd take_lock(const std::string& path) {
    const std::string name = path + ".lock";
    Fd lock(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!lock) throw_system("cannot open " + printable(name));
    own_access_policy().check(lock, name);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) throw_system("cannot lock " + printable(name));
    throw_usage("another oprofiled listens on " + printable(path) + "; shut it down first");
}

std::string directory_of(const std::string& path) {
    const std::string dir = std::filesystem::path(path).parent_path();
    return dir.empty() ? "." : dir;
}

void make_directory_of(const std::string& path) {
    const std::string dir = directory_of(path);
    if (::mkdir(dir.c_str(), 0755) == 0 || errno == EEXIST) return;
    throw_system("cannot make directory " + printable(dir));
}

/// Whoever may write to the directory could put another socket, or a link, in the place of ours; a sticky
/// directory (/tmp) lets nobody replace it.
void check_directory_of(const std::string& path) {
    const std::string name = directory_of(path);
    const Fd dir = open_file(name, O_PATH | O_DIRECTORY);
    struct stat st {};
    if (::fstat(dir.get(), &st) != 0) throw_system("cannot stat " + printable(name));
    if (st.st_mode & S_ISVTX) st.st_mode &= ~static_cast<mode_t>(S_IWGRP | S_IWOTH);
    own_access_policy().check(st, name);
}

Fd listen_on(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) throw_system("cannot create a socket");
    struct stat st {};
    if (::lstat(path.c_str(), &st) == 0 && S_ISSOCK(st.st_mode)) ::unlink(path.c_str());
    // Everybody may connect. A chmod of the path afterwards might be that of another file.
    const mode_t before = ::umask(0111);
    const int bound = ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const int error = errno;
    ::umask(before);
    if (bound != 0) throw_system("cannot make control socket " + printable(path), error);
    if (::listen(socket.get(), backlog) != 0) throw_system("cannot listen on " + printable(path));
    return socket;
}

void check_length(const std::string& path) {
    if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path))
        throw_usage("control socket " + printable(path) + ": the path is empty or too long");
}

uid_t user_of(const Fd& socket) noexcept {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return static_cast<uid_t>(-1);
    return peer.uid;
}

}  // namespace

ClientRole role_of(uid_t uid, uid_t own, uid_t starter) noexcept {
    if (uid == 0 || uid == own) return ClientRole::owner;
    return uid == starter ? ClientRole::starter : ClientRole::stranger;
}

bool is_allowed(ControlVerb verb, ClientRole role) noexcept {
    return role == ClientRole::owner || verb == ControlVerb::status || verb == ControlVerb::dump;
}

ControlServer::ControlServer(const std::string& path, uid_t starter, Handler handler)
    : path_(path), starter_(starter), handler_(std::move(handler)), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) throw_system("cannot create an epoll descriptor");
    check_length(path_);
    make_directory_of(path_);
    check_directory_of(path_);
    lock_ = take_lock(path_);
    listener_ = listen_on(path_);
    watch(listener_.get(), EPOLL_CTL_ADD, EPOLLIN);
}

ControlServer::~ControlServer() {
    // The lock file stays: removing it would let two daemons lock two files of that name.
    if (listener_) ::unlink(path_.c_str());
}

void ControlServer::watch(int fd, int operation, uint32_t events) noexcept {
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    ::epoll_ctl(epoll_.get(), operation, fd, &event);
}

bool ControlServer::serve(Clock::time_point now) {
    renew_budget(now);
    epoll_event events[events_a_turn];
    const int n = ::epoll_wait(epoll_.get(), events, events_a_turn, 0);
    for (int i = 0; i < n; ++i) {
        if (events[i].data.fd == listener_.get()) {
            accept_some();
        } else if (const auto client = find(events[i].data.fd); client != clients_.end()) {
            serve_client(client);
        }
    }
    return n > 0;
}

void ControlServer::renew_budget(Clock::time_point now) {
    if (now < budget_.until) return;
    budget_ = {now + std::chrono::seconds(1), connections, strangers_requests};
    if (!listening_) watch(listener_.get(), EPOLL_CTL_MOD, EPOLLIN);
    listening_ = true;
}

void ControlServer::accept_some() {
    for (int i = 0; i < accepts_a_turn; ++i) {
        if (budget_.connections <= 0) {
            // Those who wait in the backlog are taken when the next second begins.
            watch(listener_.get(), EPOLL_CTL_MOD, 0);
            listening_ = false;
            return;
        }
        Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket && errno != ECONNABORTED && errno != EINTR) {
            // Out of descriptors: the listener would be readable again at once.
            if (errno != EAGAIN) budget_.connections = 0;
            return;
        }
        --budget_.connections;
        if (!socket) continue;
        const ClientRole role = role_of(user_of(socket), ::geteuid(), starter_);
        add_client(std::move(socket), role);
    }
}

void ControlServer::add_client(Fd socket, ClientRole role) {
    make_room();
    const int fd = socket.get();
    clients_.push_back({std::move(socket), role});
    watch(fd, EPOLL_CTL_ADD, EPOLLIN);
}

/// The longest silent goes, strangers before others, so that strangers cannot keep the owner out.
void ControlServer::make_room() {
    if (clients_.size() < most_clients) return;
    auto victim = std::ranges::find(clients_, ClientRole::stranger, &Client::role);
    clients_.erase(victim == clients_.end() ? clients_.begin() : victim);
}

ControlServer::Clients::iterator ControlServer::find(int fd) {
    return std::ranges::find_if(clients_, [fd](const Client& c) { return c.socket.get() == fd; });
}

void ControlServer::serve_client(Clients::iterator client) {
    char packet[control_request_limit + 1];
    const int fd = client->socket.get();
    const ssize_t n = ::recv(fd, packet, sizeof packet, MSG_DONTWAIT | MSG_TRUNC);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0 || static_cast<size_t>(n) > control_request_limit) {
        clients_.erase(client);
        return;
    }
    const bool too_many = client->role == ClientRole::stranger && budget_.requests-- <= 0;
    const std::string reply = too_many ? "error: too many requests, try again in a second\n"
                                       : to_text(answer({packet, static_cast<size_t>(n)}, client->role));
    const bool sent = ::send(fd, reply.data(), reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
    // Who does not read his answers has no use for them; who asks too much has to connect again, of which
    // there is a bounded number a second, too.
    if (!sent || too_many)
        clients_.erase(client);
    else
        clients_.splice(clients_.end(), clients_, client);
}

ControlReply ControlServer::answer(std::string_view packet, ClientRole role) {
    ControlReply refusal;
    try {
        const ControlRequest request = parse_control_request(packet);
        if (is_allowed(request.verb, role)) return handler_(request, role);
        refusal.error = "only root and the daemon's user may do that";
    } catch (const Error& e) {
        refusal.error = e.what();
    }
    return refusal;
}

}  // namespace op::collect
