// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/control_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "tests/unit/faults.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

using test::contains;
using test::fault;

/// A server whose answers are the requests, and clients of it.
class Serving : public ::testing::Test {
protected:
    Serving() : server_(path(), ::getuid(), handler()) {}

    std::string path() const { return dir_ / "run/control"; }
    ControlServer::Handler handler() {
        return [this](const ControlRequest& request, ClientRole) {
            handled_.push_back(to_text(request));
            return ControlReply{};
        };
    }
    /// A client's end; the server has the other.
    Fd client(ClientRole role = ClientRole::owner) {
        int ends[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
        server_.add_client(Fd(ends[0]), role);
        return Fd(ends[1]);
    }
    void serve_all() {
        while (server_.serve(now_)) {
        }
    }
    static void send(const Fd& socket, std::string_view packet) {
        ::send(socket.get(), packet.data(), packet.size(), MSG_NOSIGNAL);
    }
    /// The received text; "-" if nothing came, "closed" if the server hung up.
    static std::string received(const Fd& socket) {
        char packet[control_reply_limit];
        const ssize_t n = ::recv(socket.get(), packet, sizeof packet, MSG_DONTWAIT);
        if (n < 0 && errno == EAGAIN) return "-";
        return n > 0 ? std::string(packet, n) : "closed";
    }
    std::string asked(const Fd& socket, std::string_view packet) {
        send(socket, packet);
        serve_all();
        return received(socket);
    }

    test::TempDir dir_;
    std::vector<std::string> handled_;
    ControlServer::Clock::time_point now_{};
    ControlServer server_;
};

}  // namespace

TEST_F(Serving, client_asks_over_the_socket_and_is_answered) {
    auto client = ControlClient::connect(path());
    ASSERT_TRUE(client);
    server_.serve(now_);
    EXPECT_EQ(server_.clients(), 1u);
    const Fd other = this->client();
    EXPECT_EQ(asked(other, "save x"), "ok\n");
    EXPECT_EQ(handled_, std::vector<std::string>{"save x"});
}

TEST_F(Serving, socket_is_open_to_all_and_its_directory_is_not) {
    struct stat st {};
    ASSERT_EQ(::stat(path().c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 07777, 0666u);
    ASSERT_EQ(::stat((dir_ / "run").c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 0022, 0u);
}

TEST_F(Serving, second_daemon_is_refused_and_the_first_lives_on) {
    EXPECT_TRUE(
        contains(fault(ErrorKind::usage, [&] { ControlServer(path(), 0, handler()); }), "another oprofiled"));
    EXPECT_TRUE(ControlClient::connect(path()));
}

TEST_F(Serving, socket_of_a_dead_daemon_is_replaced) {
    const std::string dead = dir_ / "run/dead";
    {
        ControlServer first(dead, 0, handler());
        std::filesystem::rename(dead, dead + ".kept");
    }
    std::filesystem::rename(dead + ".kept", dead);
    EXPECT_FALSE(ControlClient::connect(dead));
    const ControlServer second(dead, 0, handler());
    EXPECT_TRUE(ControlClient::connect(dead));
}

TEST_F(Serving, file_in_the_sockets_place_is_left_alone) {
    const std::string file = dir_.write("run/file", "precious");
    EXPECT_NE(fault(ErrorKind::system, [&] { ControlServer(file, 0, handler()); }), "");
    EXPECT_EQ(read_file(file), "precious");
}

TEST_F(Serving, root_uses_no_directory_or_lock_that_others_may_write_to) {
    if (::geteuid() != 0) GTEST_SKIP() << "not root";
    namespace fs = std::filesystem;
    constexpr uid_t stranger = 12345;
    const auto refusal = [&] {
        return fault(ErrorKind::input, [&] { ControlServer(dir_ / "open/control", 0, handler()); });
    };
    fs::create_directory(dir_ / "open");
    ASSERT_EQ(::chown((dir_ / "open").c_str(), stranger, stranger), 0);
    EXPECT_TRUE(contains(refusal(), "open belongs to user 12345"));
    ASSERT_EQ(::chown((dir_ / "open").c_str(), 0, 0), 0);
    fs::permissions(dir_ / "open", fs::perms(0777));
    EXPECT_TRUE(contains(refusal(), "open can be written by others"));
    fs::permissions(dir_ / "open", fs::perms(01777));
    const std::string lock = dir_.write("open/control.lock", "");
    ASSERT_EQ(::chown(lock.c_str(), stranger, stranger), 0);
    EXPECT_TRUE(contains(refusal(), "control.lock belongs to user 12345"));
    fs::remove(lock);
    EXPECT_EQ(refusal(), "") << "in a sticky directory nobody can replace the socket";
}

TEST_F(Serving, strangers_may_ask_for_status_and_dump_only) {
    const Fd stranger = client(ClientRole::stranger);
    for (const char* request : {"start", "stop", "reset", "save x", "shutdown"})
        EXPECT_TRUE(contains(asked(stranger, request), "error: only root")) << request;
    EXPECT_EQ(asked(stranger, "status"), "ok\n");
    EXPECT_EQ(asked(stranger, "dump"), "ok\n");
    EXPECT_EQ(handled_, (std::vector<std::string>{"status", "dump"}));
}

TEST_F(Serving, strangers_who_ask_too_much_are_cut_off_for_the_second) {
    const Fd owner = client();
    for (int i = 0; i < ControlServer::strangers_requests; ++i)
        ASSERT_EQ(asked(client(ClientRole::stranger), "status"), "ok\n");
    const Fd stranger = client(ClientRole::stranger);
    EXPECT_TRUE(contains(asked(stranger, "status"), "too many requests"));
    EXPECT_EQ(received(stranger), "closed");
    EXPECT_EQ(asked(owner, "status"), "ok\n");
    now_ += std::chrono::seconds(1);
    EXPECT_EQ(asked(client(ClientRole::stranger), "status"), "ok\n");
}

TEST_F(Serving, hostile_packets_are_answered_or_cut_off) {
    const Fd one = client();
    EXPECT_TRUE(contains(asked(one, "nonsense"), "error: no such request"));
    EXPECT_TRUE(contains(asked(one, std::string_view("save a\0/../b", 12)), "control characters"));
    EXPECT_TRUE(contains(asked(one, std::string(control_request_limit, '%')), "error: "));
    EXPECT_EQ(asked(one, std::string(control_request_limit + 1, 'a')), "closed");
    EXPECT_EQ(asked(client(), ""), "closed");
    EXPECT_TRUE(handled_.empty());
}

TEST_F(Serving, descriptors_sent_along_are_not_kept) {
    const Fd one = client();
    const int passed = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    char room[CMSG_SPACE(sizeof passed)]{};
    iovec text{const_cast<char*>("status"), 6};
    msghdr message{};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof passed);
    std::memcpy(CMSG_DATA(head), &passed, sizeof passed);
    ASSERT_EQ(::sendmsg(one.get(), &message, 0), 6);
    ::close(passed);
    const auto open_files = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                             std::filesystem::directory_iterator());
    };
    const auto before = open_files();
    serve_all();
    EXPECT_EQ(received(one), "ok\n");
    EXPECT_EQ(open_files(), before);
}

TEST_F(Serving, a_client_that_does_not_read_answers_is_cut_off) {
    const Fd deaf = client();
    for (int i = 0; i < 100000 && server_.clients() > 0; ++i) {
        send(deaf, "status");
        server_.serve(now_);
    }
    EXPECT_EQ(server_.clients(), 0u);
}

TEST_F(Serving, newcomers_push_out_strangers_before_owners) {
    const Fd owner = client();
    std::vector<Fd> strangers;
    for (size_t i = 0; i < 3 * ControlServer::most_clients; ++i)
        strangers.push_back(client(ClientRole::stranger));
    EXPECT_EQ(server_.clients(), ControlServer::most_clients);
    EXPECT_EQ(received(strangers.front()), "closed");
    EXPECT_EQ(asked(owner, "status"), "ok\n");
}

TEST_F(Serving, flood_of_connections_is_slowed_down_and_goes_on_the_next_second) {
    int served = 0;
    for (int i = 0;
         i < 2 * ControlServer::connections && ControlClient::connect(path(), std::chrono::milliseconds(1));
         ++i) {
        server_.serve(now_);
        ++served;
        if (served > ControlServer::connections) break;
    }
    EXPECT_FALSE(server_.serve(now_));
    now_ += std::chrono::seconds(1);
    EXPECT_TRUE(server_.serve(now_));
}

TEST(ClientRole, root_and_the_daemons_user_own_it) {
    EXPECT_EQ(role_of(0, 990, 1000), ClientRole::owner);
    EXPECT_EQ(role_of(990, 990, 1000), ClientRole::owner);
    EXPECT_EQ(role_of(1000, 990, 1000), ClientRole::starter);
    EXPECT_EQ(role_of(1001, 990, 1000), ClientRole::stranger);
}

}  // namespace op::collect
