// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/control/control.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <thread>

#include "tests/unit/faults.h"
#include "tests/unit/temp_dir.h"

namespace op {
namespace {

using std::chrono::milliseconds;
using test::contains;
using test::fault;
using test::TempDir;

std::string refusal(std::string_view packet) {
    return fault(ErrorKind::input, [&] { parse_control_request(packet); });
}

/// A socket that listens and never answers by itself.
Fd listen_on(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket.get(), 4), 0);
    return socket;
}

}  // namespace

TEST(ControlRequest, every_verb_survives_the_way_to_text_and_back) {
    for (const char* text :
         {"status", "start", "stop", "dump", "reset", "save before lunch", "rotate", "shutdown"})
        EXPECT_EQ(to_text(parse_control_request(text)), text);
    EXPECT_EQ(parse_control_request("save a b"), (ControlRequest{ControlVerb::save, "a b"}));
    EXPECT_EQ(parse_control_request("stop\n").verb, ControlVerb::stop);
}

TEST(ControlRequest, malformed_requests_are_refused_in_one_line) {
    EXPECT_TRUE(contains(refusal("reboot"), "no such request: 'reboot'"));
    EXPECT_TRUE(contains(refusal(""), "no such request"));
    EXPECT_TRUE(contains(refusal("save"), "no name"));
    EXPECT_TRUE(contains(refusal("stop now"), "takes no argument"));
    EXPECT_TRUE(contains(refusal("stop "), "takes no argument"));
    EXPECT_TRUE(contains(refusal(std::string_view("save a\0b", 8)), "control characters"));
    EXPECT_TRUE(contains(refusal("save a\nok"), "control characters"));
    EXPECT_TRUE(contains(refusal(std::string(control_request_limit + 1, 'a')), "too long"));
}

TEST(ControlReply, values_survive_the_way_to_text_and_back) {
    ControlReply reply;
    reply.add("state", "sampling");
    reply.add("event", "TIMER:100000:0:1:1");
    reply.add("event", "");
    EXPECT_EQ(to_text(reply), "ok\nstate: sampling\nevent: TIMER:100000:0:1:1\nevent: \n");
    EXPECT_EQ(parse_control_reply(to_text(reply)), reply);
    EXPECT_EQ(reply.find("event"), "TIMER:100000:0:1:1");
    EXPECT_FALSE(reply.find("stat"));
}

TEST(ControlReply, error_is_one_line_whatever_is_in_it) {
    ControlReply reply;
    reply.error = "cannot rename a\nok: b";
    EXPECT_EQ(to_text(reply), "error: cannot rename a?ok: b\n");
    EXPECT_EQ(parse_control_reply(to_text(reply)).error, "cannot rename a?ok: b");
    reply.add("path\n", "x\ny");
    EXPECT_EQ(to_text(reply), "error: cannot rename a?ok: b\npath?: x?y\n");
}

TEST(ControlReply, grows_no_longer_than_a_packet) {
    ControlReply reply;
    reply.error = std::string(100000, 'e');
    for (int i = 0; i < 1000; ++i)
        reply.add("key", std::string(100, 'v'));
    const std::string packet = to_text(reply);
    EXPECT_LE(packet.size(), control_reply_limit);
    EXPECT_FALSE(parse_control_reply(packet).ok());
}

TEST(ControlReply, malformed_replies_are_refused) {
    for (const char* packet : {"", "yes", "okay\n", "ok\nno colon\n", "ok\nkey:value\n", "error:\n"})
        EXPECT_NE(fault(ErrorKind::input, [&] { parse_control_reply(packet); }), "") << packet;
}

TEST(ControlClient, a_missing_daemon_gives_no_client) {
    const TempDir dir;
    EXPECT_FALSE(ControlClient::connect(dir / "none"));
    EXPECT_FALSE(ControlClient::connect(dir / "no/directory"));
    listen_on(dir / "dead");
    EXPECT_FALSE(ControlClient::connect(dir / "dead"));
}

TEST(ControlClient, path_longer_than_a_socket_can_have_is_refused) {
    EXPECT_NE(fault(ErrorKind::usage, [] { ControlClient::connect(std::string(200, 'x')); }), "");
}

TEST(ControlClient, knows_whom_it_asks_without_an_answer) {
    const TempDir dir;
    const Fd daemon = listen_on(dir / "s");
    const auto client = ControlClient::connect(dir / "s");
    ASSERT_TRUE(client);
    EXPECT_EQ(client->server(), ::getpid());
}

TEST(ControlClient, silent_daemon_is_given_up_at_the_deadline) {
    const TempDir dir;
    const Fd daemon = listen_on(dir / "s");
    auto client = ControlClient::connect(dir / "s");
    ASSERT_TRUE(client);
    EXPECT_TRUE(contains(fault(ErrorKind::system, [&] { client->ask("status", milliseconds(1)); }),
                         "does not answer"));
}

TEST(ControlClient, asks_and_hears) {
    const TempDir dir;
    const Fd daemon = listen_on(dir / "s");
    auto client = ControlClient::connect(dir / "s");
    std::thread answering([&] {
        const Fd peer(::accept(daemon.get(), nullptr, nullptr));
        char packet[64]{};
        EXPECT_EQ(::recv(peer.get(), packet, sizeof packet, 0), 4);
        EXPECT_STREQ(packet, "dump");
        EXPECT_EQ(::send(peer.get(), "ok\nn: 1\n", 8, 0), 8);
    });
    const ControlReply reply = client->ask("dump", milliseconds(60000));
    EXPECT_EQ(reply.find("n"), "1");
    answering.join();
    EXPECT_TRUE(client->wait_closed(milliseconds(60000)));
    EXPECT_NE(fault(ErrorKind::system, [&] { client->ask("dump", milliseconds(60000)); }), "");
}

TEST(ControlClient, flush_of_a_missing_daemon_is_given_up_and_leaves_nothing) {
    const TempDir dir;
    EXPECT_TRUE(flush_recording_daemon(dir.path(), milliseconds(1), dir / "none"));
    EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(ControlClient, flush_of_a_silent_daemon_asks_for_its_status_once_and_hangs_up) {
    const TempDir dir;
    const Fd daemon = listen_on(dir / "s");
    EXPECT_FALSE(flush_recording_daemon(dir.path(), milliseconds(1), dir / "s"));
    const Fd client(::accept4(daemon.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ASSERT_TRUE(client);
    char request[64];
    const ssize_t size = ::recv(client.get(), request, sizeof request, MSG_DONTWAIT);
    ASSERT_GT(size, 0);
    EXPECT_EQ(std::string_view(request, static_cast<size_t>(size)), "status");
    EXPECT_EQ(::recv(client.get(), request, sizeof request, MSG_DONTWAIT), 0) << "it has hung up";
}

}  // namespace op
