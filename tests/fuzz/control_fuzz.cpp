// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any user may send anything to the control socket, and any packet may come as its answer. The
// first byte selects the role of the client, the rest is packets with 0x1e between them.
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "daemon/service/control_server.h"
#include "libop/base/error.h"

namespace {

using namespace op;
using collect::ClientRole;
using collect::ControlServer;

constexpr char between = 0x1e;
ClientRole asking;

void require(bool claim) {
    if (!claim) std::abort();
}

/// Nothing but what may be done arrives here, and nothing that would need quoting.
ControlReply handle(const ControlRequest& request, ClientRole role) {
    require(role == asking && collect::is_allowed(request.verb, role));
    require(parse_control_request(to_text(request)) == request);
    ControlReply reply;
    if (request.verb == ControlVerb::stop) reply.error = "it does not sample";
    reply.add("session-dir", request.argument);
    return reply;
}

class Server {
public:
    Server() : server_(path(), 0, handle) {}
    ~Server() {
        std::error_code ignored;
        std::filesystem::remove_all(dir_, ignored);
    }
    Fd connect(ClientRole role) {
        int ends[2];
        require(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
        server_.add_client(Fd(ends[0]), role);
        require(server_.clients() <= ControlServer::most_clients);
        return Fd(ends[1]);
    }
    void serve() {
        while (server_.serve(now_)) {
        }
    }
    void next_second() { now_ += std::chrono::seconds(1); }

private:
    std::string path() {
        dir_ = std::filesystem::temp_directory_path() / "oprofile-ng-fuzz.XXXXXX";
        require(::mkdtemp(dir_.data()));
        return dir_ + "/control";
    }

    std::string dir_;
    ControlServer::Clock::time_point now_{};
    ControlServer server_;
};

/// What was understood survives sending.
void check_reply(std::string_view packet) {
    try {
        const ControlReply reply = parse_control_reply(packet);
        const std::string sent = to_text(reply);
        require(sent.size() <= control_reply_limit);
        const ControlReply again = parse_control_reply(sent);
        require(again.ok() == reply.ok() && again.values.size() <= reply.values.size());
    } catch (const Error& error) {
        require(error.kind() == ErrorKind::input);
    }
}

/// True if the connection is still there: a packet has one answer, or the server hangs up.
bool exchange(Server& server, const Fd& client, std::string_view packet) {
    char answer[control_reply_limit + 1];
    if (::send(client.get(), packet.data(), packet.size(), MSG_NOSIGNAL) < 0) return false;
    server.serve();
    const ssize_t size = ::recv(client.get(), answer, sizeof answer, MSG_DONTWAIT);
    if (size <= 0) {
        require(packet.empty() || packet.size() > control_request_limit);
        return false;
    }
    const std::string_view text(answer, static_cast<size_t>(size));
    require(text.size() <= control_reply_limit);
    require(
        std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; }));
    parse_control_reply(text);
    require(::recv(client.get(), answer, sizeof answer, MSG_DONTWAIT) <= 0);
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static Server server;
    if (size == 0) return 0;
    server.next_second();
    asking = std::array{ClientRole::stranger, ClientRole::starter, ClientRole::owner}[data[0] % 3];
    const Fd client = server.connect(asking);
    for (std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1); !rest.empty();) {
        const size_t end = std::min(rest.find(between), rest.size());
        check_reply(rest.substr(0, end));
        if (!exchange(server, client, rest.substr(0, end))) break;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return 0;
}
