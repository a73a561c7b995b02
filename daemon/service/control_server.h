// SPDX-License-Identifier: GPL-2.0-or-later
// The answering side of the control socket: who is connected, who may ask what, and how much. What a request
// does is the handler's. Nothing here waits: a slow or hostile client costs a bounded time a turn.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <string>

#include "libop/base/fd.h"
#include "libop/control/control.h"

namespace op::collect {

/// How much a user is trusted.
enum class ClientRole {
    stranger,  ///< anybody: where the session is (status), a flush (dump), both at a bounded rate
    starter,   ///< who started the daemon: status in full, dump
    owner,     ///< root and the daemon's own user: everything
};

/// What `uid` is to a daemon that runs as `own` and was started by `starter`.
ClientRole role_of(uid_t uid, uid_t own, uid_t starter) noexcept;
/// True if somebody of that role may ask for it.
bool is_allowed(ControlVerb verb, ClientRole role) noexcept;

/// Listens on a Unix socket. Not thread-safe.
class ControlServer {
public:
    using Clock = std::chrono::steady_clock;
    /// Carries out a request that is allowed and returns the reply; must not throw because of its content.
    /// The reply to a stranger's status must contain nothing private.
    using Handler = std::function<ControlReply(const ControlRequest&, ClientRole)>;

    static constexpr size_t most_clients = 32;
    static constexpr int strangers_requests = 50;  ///< a second, of all strangers together
    static constexpr int connections = 200;        ///< a second

    /// Listens on `path`, making its directory (0755) if it is not there; what a dead daemon left is
    /// replaced. The socket is open to all users. `starter` is the user who started the daemon. Throws a
    /// usage error if a daemon lives there already, else a system error.
    ControlServer(const std::string& path, uid_t starter, Handler handler);
    ControlServer(const ControlServer&) = delete;
    ControlServer& operator=(const ControlServer&) = delete;
    /// Removes the socket as far as it may.
    ~ControlServer();

    /// Readable when serve() has something to do.
    int fd() const noexcept { return epoll_.get(); }
    /// Takes new clients and answers at most one request of each. True if it did something.
    bool serve(Clock::time_point now = Clock::now());
    /// Takes a connected socket, which must not block, as a client.
    void add_client(Fd socket, ClientRole role);
    size_t clients() const noexcept { return clients_.size(); }

private:
    struct Client {
        Fd socket;
        ClientRole role;
    };
    /// What may still happen in the running second.
    struct Budget {
        Clock::time_point until{};
        int connections = 0, requests = 0;
    };
    using Clients = std::list<Client>;  ///< the longest silent first

    void accept_some();
    void watch(int fd, int operation, uint32_t events) noexcept;
    void renew_budget(Clock::time_point now);
    void make_room();
    Clients::iterator find(int fd);
    void serve_client(Clients::iterator client);
    ControlReply answer(std::string_view packet, ClientRole role);

    std::string path_;
    uid_t starter_;
    Handler handler_;
    Fd lock_, listener_, epoll_;
    Clients clients_;
    Budget budget_;
    bool listening_ = true;  ///< the listener is watched: not while its budget is used up
};

}  // namespace op::collect
