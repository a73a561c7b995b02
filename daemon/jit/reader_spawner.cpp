// SPDX-License-Identifier: GPL-2.0-or-later
// fork, a socket passed along, fork.
#include "daemon/jit/reader_spawner.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <optional>

#include "daemon/jit/map_reader.h"
#include "libop/base/clock.h"

namespace op::collect {
namespace {

constexpr uint32_t kept_capabilities = 1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_SYS_PTRACE;

/// Room for one descriptor.
union Control {
    cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

msghdr message_of(iovec& data, Control& control) {
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    return message;
}

bool send_with(const Fd& socket, WatchRequest request, const Fd& passed) {
    iovec data{&request, sizeof request};
    Control control{};
    msghdr message = message_of(data, control);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = passed.get();
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    return ::sendmsg(socket.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof request;
}

struct Received {
    WatchRequest request;
    Fd socket;
};

/// None once the recorder is gone.
std::optional<Received> receive_request(const Fd& socket) {
    Received received;
    iovec data{&received.request, sizeof received.request};
    Control control{};
    msghdr message = message_of(data, control);
    ssize_t n;
    do {
        n = ::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (n != sizeof received.request) return std::nullopt;
    if (const cmsghdr* const header = CMSG_FIRSTHDR(&message); header && header->cmsg_type == SCM_RIGHTS) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
        received.socket.reset(fd);
    }
    return received;
}

/// What the recorder has open stays open only there: its output may be a pipe that somebody waits for the end
/// of.
void close_all_but(int kept) {
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int standard : {0, 1, 2})
        if (null >= 0) ::dup2(null, standard);
    const int place = ::dup2(kept, 3);
    ::syscall(SYS_close_range, static_cast<unsigned>(place + 1), ~0u, 0u);
}

void keep_few_rights() {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> sets{};
    if (::syscall(SYS_capget, &header, sets.data()) != 0) return;
    sets[0].permitted &= kept_capabilities;
    sets[0].effective = sets[0].permitted;
    sets[0].inheritable = 0;
    sets[1] = {};
    ::syscall(SYS_capset, &header, sets.data());
}

void make_readers(const Fd& socket) {
    while (auto received = receive_request(socket)) {
        if (!received->socket || ::fork() != 0) continue;
        ::close(socket.get());
        run_map_reader(received->socket, received->request);
        ::_exit(0);
    }
}

/// Those that hang are killed when this process ends.
void await_readers() {
    constexpr int rounds = 50;
    const timespec while_between{0, 4'000'000};
    for (int i = 0; i < rounds && ::waitpid(-1, nullptr, WNOHANG) == 0; ++i)
        ::nanosleep(&while_between, nullptr);
}

[[noreturn]] void run_spawner(int socket, pid_t parent) {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::signal(SIGCHLD, SIG_IGN);  // nobody asks how a reader ended
    close_all_but(socket);
    keep_few_rights();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    ::prctl(PR_SET_NAME, "op_map_reader", 0, 0, 0);
    if (::getppid() == parent) make_readers(Fd(3));
    await_readers();
    ::_exit(0);
}

}  // namespace

ReaderSpawner::ReaderSpawner()
    : since_(nanoseconds([] {
          timespec now{};
          ::clock_gettime(CLOCK_REALTIME, &now);
          return now;
      }())) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
    socket_.reset(ends[0]);
    const Fd other(ends[1]);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) run_spawner(ends[1], parent);
    if (pid_ < 0) socket_.reset();
}

ReaderSpawner::~ReaderSpawner() {
    socket_.reset();
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);  // it touches no file of others
}

Fd ReaderSpawner::watch(uint32_t tgid) {
    int ends[2];
    if (!socket_ || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return {};
    Fd own(ends[0]);
    const Fd readers(ends[1]);
    ::fcntl(own.get(), F_SETFL, O_NONBLOCK);
    return send_with(socket_, {tgid, 0, since_}, readers) ? std::move(own) : Fd();
}

}  // namespace op::collect
