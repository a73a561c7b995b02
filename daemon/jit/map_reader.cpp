// SPDX-License-Identifier: GPL-2.0-or-later
// Requests in, answers out.
#include "daemon/jit/map_reader.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "daemon/jit/process_place.h"
#include "libop/base/error.h"
#include "libop/base/sanitized.h"
#include "libop/jit/dump_code.h"

namespace op::collect {
namespace {

/// Of what a stranger's files may cost: memory, and time for each question. A map of 1 GiB takes seconds.
constexpr rlim_t most_memory = rlim_t{1} << 30, most_seconds = 120;
constexpr int niceness = 5;

void limit(int resource, rlim_t most) {
    const rlimit both{most, most};
    ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

/// From now on; the process ends by SIGXCPU then.
void limit_time() {
    rusage used{};
    rlimit both{};
    if (::getrusage(RUSAGE_SELF, &used) != 0 || ::getrlimit(RLIMIT_CPU, &both) != 0) return;
    const auto seconds = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    both.rlim_cur = std::min(both.rlim_max, seconds + most_seconds);
    ::setrlimit(RLIMIT_CPU, &both);
}

void limit_resources() {
    sigset_t of_time;
    ::sigemptyset(&of_time);
    ::sigaddset(&of_time, SIGXCPU);
    ::sigprocmask(SIG_UNBLOCK, &of_time, nullptr);
    ::signal(SIGXCPU, SIG_DFL);
    limit_time();
    if (!is_sanitized) limit(RLIMIT_AS, most_memory);  // the address sanitizer reserves terabytes
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    [[maybe_unused]] const int ignored = ::nice(niceness);
}

/// False at the end of the stream.
bool receive(const Fd& socket, void* bytes, size_t length) {
    auto* at = static_cast<char*>(bytes);
    while (length > 0) {
        const ssize_t n = ::recv(socket.get(), at, length, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        length -= static_cast<size_t>(n);
    }
    return true;
}

/// Calls `take` with each piece of a file until it returns false; false if the file is longer than `limit`.
template <class Take>
bool read_pieces(const Fd& file, uint64_t limit, Take take) {
    std::vector<char> piece(size_t{1} << 18);
    uint64_t at = 0;
    while (at < limit) {
        const size_t room = std::min<uint64_t>(piece.size(), limit - at);
        const ssize_t n = ::pread(file.get(), piece.data(), room, static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_system("cannot read a map");
        if (n == 0 || !take(std::string_view(piece.data(), static_cast<size_t>(n)))) return true;
        at += static_cast<uint64_t>(n);
    }
    return false;
}

class MapReader {
public:
    MapReader(const Fd& socket, const WatchRequest& watched) : socket_(socket), place_(find_place(watched)) {
        limit_resources();
        const pid_t parent = ::getppid();
        is_owner_ = become_owner(place_);
        // Changing the user cleared it.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (::getppid() != parent || !is_owner_) return;
        directory_ = open_in_root(place_.root, "tmp", O_DIRECTORY);
    }

    void run() {
        ReaderRequest request{};
        while (receive(socket_, &request, sizeof request) && obey(request))
            limit_time();
    }

private:
    FoundMap find() const { return directory_ ? find_map(directory_, place_) : FoundMap{}; }

    /// False if there is nothing more to do.
    bool obey(const ReaderRequest& request) {
        switch (request.command) {
            case ReaderCommand::seal:
                map_ = find();
                is_sealed_ = true;
                return true;
            case ReaderCommand::dump:
                return take_dump(request.length);
            case ReaderCommand::place:
                return reply<CodeMoment>(request.length, most_moments,
                                         [this](auto& moments) { return places_of(moments); });
            case ReaderCommand::ask:
            case ReaderCommand::ask_timed:
                break;
        }
        const bool is_timed = request.command == ReaderCommand::ask_timed;
        return reply<uint64_t>(request.length, most_wanted_addresses,
                               [&](const auto& wanted) { return answer(wanted, is_timed); });
    }

    /// Takes what was asked for, and sends the answer.
    template <class T, class AnswerTo>
    bool reply(uint32_t length, uint32_t most, AnswerTo answer_to) {
        if (length > most) return false;
        std::vector<T> asked(length);
        if (!receive(socket_, asked.data(), asked.size() * sizeof(T))) return false;
        write_fd(socket_.get(), to_bytes(answer_to(asked)), "the recorder");
        return true;
    }

    /// It may be removed before the process ends; one that is open is kept then.
    bool take_dump(uint32_t length) {
        std::string path(std::min(length, longest_dump_path), '\0');
        if (!receive(socket_, path.data(), path.size())) return false;
        if (!directory_) return true;
        FoundMap found = find_dump(path, place_);
        if (found.state == MapState::read || dump_.state != MapState::read) dump_ = std::move(found);
        return true;
    }

    MapAnswer answer_of_dump(const std::vector<uint64_t>& wanted, bool is_timed) {
        MapAnswer answer;
        answer.state = dump_.state;
        answer.is_dump = true;
        return dump_.state == MapState::read ? read_dump(dump_.file, wanted, is_timed, placed_) : answer;
    }

    /// The moments have times of the kernel's clock, the dump those of the process's.
    MapAnswer places_of(std::vector<CodeMoment>& moments) {
        MapAnswer answer;
        answer.state = dump_.state;
        PlacedUntil placed;
        for (CodeMoment& moment : moments) {
            moment.time += static_cast<uint64_t>(place_.clock_ahead);
            placed.time = std::max(placed.time, moment.time);
        }
        try {
            if (dump_.state == MapState::read) answer = place_by_dump(dump_.file, moments, placed.records);
            placed_.push_back(placed);
        } catch (const Error&) {
            answer.state = MapState::unreadable;
        }
        return answer;
    }

    MapAnswer answer(const std::vector<uint64_t>& wanted, bool is_timed) {
        try {
            if (dump_.state != MapState::absent) return answer_of_dump(wanted, is_timed);
        } catch (const Error&) {  // there may be a map
        }
        MapAnswer answer;
        if (!is_sealed_) map_ = find();
        answer.state = is_changed() ? MapState::stale : map_.state;
        if (answer.state != MapState::read) return answer;
        try {
            return read_map(map_.file, wanted);
        } catch (const Error&) {
            answer.state = MapState::unreadable;
            return answer;
        }
    }

    /// After the end of its process another one may write a map of that name.
    bool is_changed() const {
        struct stat now {};
        if (!is_sealed_ || !map_.file || ::fstat(map_.file.get(), &now) != 0) return false;
        return now.st_size != map_.status.st_size || now.st_mtim.tv_sec != map_.status.st_mtim.tv_sec ||
               now.st_mtim.tv_nsec != map_.status.st_mtim.tv_nsec;
    }

    const Fd& socket_;
    ProcessPlace place_;
    Fd directory_;  ///< the process's /tmp, which this keeps when the process and its mounts are gone
    FoundMap map_, dump_;
    std::vector<PlacedUntil> placed_;  ///< by earlier answers
    bool is_owner_ = false, is_sealed_ = false;
};

}  // namespace

MapAnswer read_map(const Fd& file, std::span<const uint64_t> wanted, uint64_t limit) {
    MapAnswer answer;
    answer.state = MapState::read;
    PerfMapReader reader(wanted);
    answer.is_cut = !read_pieces(file, limit, [&](std::string_view piece) {
        reader.feed(piece);
        return true;
    });
    answer.symbols = reader.finish();
    answer.ambiguous = reader.replaced();
    answer.counts = reader.counts();
    return answer;
}

namespace {

/// Gives all records of a jitdump to `taker`.
template <class Taker>
MapAnswer read_records(const Fd& file, uint64_t limit, Taker& taker) {
    MapAnswer answer;
    answer.state = MapState::read;
    answer.is_dump = true;
    JitdumpReader reader({[&](const JitLoad& load) {
                              ++answer.counts.lines;
                              taker.take(load);
                          },
                          [&](const JitMove& move) { taker.take(move); },
                          [&](const JitUnload& unload) { taker.take(unload); }});
    const bool is_whole = read_pieces(file, limit, [&](std::string_view piece) {
        reader.feed(as_bytes(piece));
        return reader.fault().empty();
    });
    answer.is_cut = !is_whole || !reader.fault().empty();
    answer.counts.bad = reader.bad_records();
    return answer;
}

}  // namespace

MapAnswer place_by_dump(const Fd& file, std::span<const CodeMoment> moments, uint64_t& records,
                        uint64_t limit) {
    CodePlacer placer(moments);
    MapAnswer answer = read_records(file, limit, placer);
    records = placer.records();
    answer.generations = placer.finish();
    return answer;
}

MapAnswer read_dump(const Fd& file, std::span<const uint64_t> wanted, bool is_timed,
                    std::span<const PlacedUntil> placed, uint64_t limit) {
    DumpCode code(wanted, is_timed);
    code.expect_late(placed);
    MapAnswer answer = read_records(file, limit, code);
    answer.symbols = code.finish();
    answer.ambiguous = code.ambiguous();
    return answer;
}

void run_map_reader(const Fd& socket, const WatchRequest& watched) noexcept {
    try {
        MapReader(socket, watched).run();
    } catch (const std::exception&) {  // the recorder finds the socket closed
    }
}

}  // namespace op::collect
