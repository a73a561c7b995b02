// SPDX-License-Identifier: GPL-2.0-or-later
// The messages of the daemon's control socket, and the client's side of it.
// A Unix socket of type SEQPACKET: one packet asks, one answers. Format: doc/FORMATS.md, "Control socket".
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libop/base/fd.h"

namespace op {

/// The default path of the daemon's socket.
inline constexpr const char* control_socket_path = "/run/oprofiled/control";
/// The longest packets, bytes.
inline constexpr size_t control_request_limit = 512;
inline constexpr size_t control_reply_limit = 16384;

/// The requests that the daemon answers.
enum class ControlVerb {
    status,    ///< report its state and counts
    start,     ///< start sampling, unless it is sampling
    stop,      ///< stop sampling; the samples taken are stored
    dump,      ///< store everything taken so far in the session directory
    reset,     ///< discard what was taken: samples/current starts empty again
    save,      ///< rename samples/current; the argument is the new name
    rotate,    ///< the same, under the name of a rotated session
    shutdown,  ///< stop and end
};

/// One request.
struct ControlRequest {
    ControlVerb verb = ControlVerb::status;
    std::string argument;  ///< of save: the name, not checked; else empty

    bool operator==(const ControlRequest&) const = default;
};

/// The request in a packet: "status", "save NAME". Throws an input error in one line, also for a packet
/// longer than control_request_limit or one that holds control characters.
ControlRequest parse_control_request(std::string_view packet);
/// The packet of a request.
std::string to_text(const ControlRequest& request);

/// One answer: ok with values, or the reason why not.
struct ControlReply {
    std::string error;                                        ///< one line; empty = ok
    std::vector<std::pair<std::string, std::string>> values;  ///< in the order sent; a key may come again

    bool ok() const noexcept { return error.empty(); }
    void add(std::string key, std::string value) { values.emplace_back(std::move(key), std::move(value)); }
    /// The first value of that key, or none.
    std::optional<std::string_view> find(std::string_view key) const&;
    std::optional<std::string_view> find(std::string_view key) const&& = delete;  // the view would dangle

    bool operator==(const ControlReply&) const = default;
};

/// The answer in a packet: "ok" or "error: REASON", then "key: value" lines. Throws an input error.
ControlReply parse_control_reply(std::string_view packet);
/// The packet of an answer. Control characters in it become '?'; lines beyond control_reply_limit are left
/// out.
std::string to_text(const ControlReply& reply);

/// A connection to the daemon.
class ControlClient {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// Connects within `deadline`. None if no daemon listens there. Throws a system error if it cannot be
    /// reached, and an input error if the listener runs as neither root nor this user: its answers could not
    /// be trusted.
    static std::optional<ControlClient> connect(const std::string& path = control_socket_path,
                                                Milliseconds deadline = Milliseconds(5000));
    /// Sends a request and waits for the answer. Throws a system error if no answer came before the deadline
    /// (the connection cannot be used again then), an input error if the answer is malformed.
    ControlReply ask(std::string_view request, Milliseconds deadline);
    /// The process that listens, by the socket's credentials; 0 if it is unknown (another pid namespace).
    pid_t server() const noexcept { return server_; }
    /// Waits until the daemon closes the connection, as it does when it ends. False if it did not.
    bool wait_closed(Milliseconds deadline) noexcept;

private:
    ControlClient(Fd socket, std::string path, pid_t server)
        : socket_(std::move(socket)), path_(std::move(path)), server_(server) {}

    Fd socket_;
    std::string path_;
    pid_t server_;
};

/// Asks the daemon that records into session directory `session_dir`, if one does, to write its samples to
/// the files. Best effort: gives up silently after `deadline`. False if a daemon is there that did not
/// answer.
bool flush_recording_daemon(const std::string& session_dir, std::chrono::milliseconds deadline,
                            const std::string& path = control_socket_path) noexcept;

}  // namespace op
