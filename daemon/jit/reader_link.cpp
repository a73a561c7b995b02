// SPDX-License-Identifier: GPL-2.0-or-later
// Non-blocking work on a stream socket.
#include "daemon/jit/reader_link.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "libop/base/error.h"

namespace op::collect {
namespace {

template <class T>
void append(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool is_later() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

void ReaderLink::seal() {
    append(out_, ReaderRequest{ReaderCommand::seal, 0});
    send_some();
}

void ReaderLink::name_dump(std::string_view path) {
    if (path.size() > longest_dump_path || named_dumps_ == most_named_dumps) return;
    ++named_dumps_;
    append(out_, ReaderRequest{ReaderCommand::dump, static_cast<uint32_t>(path.size())});
    out_.append(path);
    send_some();
}

template <class T>
void ReaderLink::put_question(ReaderCommand command, std::span<const T> items) {
    append(out_, ReaderRequest{command, static_cast<uint32_t>(items.size())});
    out_.append(reinterpret_cast<const char*>(items.data()), items.size_bytes());
    is_waiting_ = true;
    send_some();
}

void ReaderLink::ask(std::span<const uint64_t> addresses, bool is_timed) {
    put_question(is_timed ? ReaderCommand::ask_timed : ReaderCommand::ask, addresses);
}

void ReaderLink::ask_places(std::span<const CodeMoment> moments) {
    put_question(ReaderCommand::place, moments);
}

short ReaderLink::events() const noexcept {
    return static_cast<short>(POLLIN | (sent_ < out_.size() ? POLLOUT : 0));
}

void ReaderLink::send_some() {
    while (socket_ && sent_ < out_.size()) {
        const ssize_t n = ::send(socket_.get(), out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
        if (n < 0 && !is_later()) socket_.reset();
        if (n < 0) return;
        sent_ += static_cast<size_t>(n);
    }
    out_.clear();
    sent_ = 0;
}

void ReaderLink::receive_some() {
    std::array<char, 65536> piece;
    while (socket_ && in_.size() <= longest_answer) {
        const ssize_t n = ::recv(socket_.get(), piece.data(), piece.size(), 0);
        if (n < 0 && is_later()) return;
        if (n <= 0) return socket_.reset();
        in_.append(piece.data(), static_cast<size_t>(n));
    }
}

std::optional<MapAnswer> ReaderLink::pump() {
    send_some();
    receive_some();
    try {
        const auto length = answer_length(in_);
        if (!length || in_.size() < *length) return std::nullopt;
        auto answer = parse_answer(as_bytes(std::string_view(in_).substr(0, *length)));
        in_.erase(0, *length);
        is_waiting_ = false;
        return answer;
    } catch (const Error&) {
        socket_.reset();
        return std::nullopt;
    }
}

}  // namespace op::collect
