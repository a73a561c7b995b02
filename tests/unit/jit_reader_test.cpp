// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "daemon/jit/map_reader.h"
#include "daemon/jit/process_place.h"
#include "daemon/jit/reader_link.h"
#include "daemon/jit/reader_messages.h"
#include "daemon/jit/reader_spawner.h"
#include "libop/base/error.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

MapAnswer some_answer() {
    MapAnswer answer;
    answer.state = MapState::read;
    answer.is_dump = true;
    answer.counts = {7, 2, true};
    answer.ambiguous = 3;
    answer.symbols = {{0x1000, 16, "f", {{0x1000, 3, "a.c"}, {0x1008, 4, ""}}, std::vector<std::byte>(16)},
                      {0x1010, 8, "g (h)"}};
    answer.generations = {0, 3, 127};
    return answer;
}

}  // namespace

TEST(ReaderMessages, an_answer_survives) {
    const std::string bytes = to_bytes(some_answer());
    EXPECT_EQ(answer_length(bytes), bytes.size());
    EXPECT_EQ(parse_answer(as_bytes(bytes)), some_answer());
}

TEST(ReaderMessages, each_cut_or_wrong_byte_is_an_error_or_an_answer) {
    const std::string bytes = to_bytes(some_answer());
    for (size_t length = 0; length < bytes.size(); ++length)
        EXPECT_THROW(parse_answer(as_bytes(std::string_view(bytes).substr(0, length))), Error) << length;
    for (size_t at = 0; at < bytes.size(); ++at) {
        std::string wrong = bytes;
        wrong[at] = static_cast<char>(0xff);
        try {
            uint64_t end = 0;
            for (const CodeSymbol& symbol : parse_answer(as_bytes(wrong)).symbols) {
                EXPECT_LE(end, symbol.address);
                end = symbol.end();
            }
        } catch (const Error&) {
        }
    }
    EXPECT_THROW(answer_length(std::string(8, '\xff')), Error);
}

TEST(ProcessPlace, numbers_are_those_of_the_process_s_own_namespace) {
    const char* const status = "Name:\tx) y\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nNSpid:\t27502\t12\t1\n";
    const char* const stat = "27502 (x) y) S 1 27502 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 5120 9 9";
    const auto numbers = parse_process(status, stat);
    ASSERT_TRUE(numbers);
    EXPECT_EQ(numbers->pid, 1u);
    EXPECT_EQ(numbers->uid, 4u);
    EXPECT_EQ(numbers->gid, 8u);
    EXPECT_EQ(numbers->start, 5120u);
    EXPECT_FALSE(parse_process("Uid:\t1\t2\t3\t4\n", stat));
    EXPECT_FALSE(parse_process(status, "27502"));
}

TEST(ProcessPlace, a_process_may_end_while_it_is_looked_at) {
    for (int i = 0; i < 500; ++i) {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(0);
        std::thread waiting([child] { ::waitpid(child, nullptr, 0); });
        EXPECT_NO_THROW({
            while (::kill(child, 0) == 0)
                find_place({static_cast<uint32_t>(child), 0, 0});
        });
        waiting.join();
    }
}

TEST(ProcessPlace, no_link_leads_out_of_a_root) {
    const std::string dir = ::testing::TempDir() + "root" + std::to_string(::getpid());
    ASSERT_EQ(::mkdir(dir.c_str(), 0700), 0);
    ASSERT_EQ(::symlink("/", (dir + "/tmp").c_str()), 0);
    ASSERT_EQ(::symlink("../../../../etc", (dir + "/up").c_str()), 0);
    const Fd root = open_file(dir, O_PATH | O_DIRECTORY);
    struct stat own {
    }, found{};
    ASSERT_EQ(::fstat(root.get(), &own), 0);
    const Fd tmp = open_in_root(root, "tmp", O_DIRECTORY);
    ASSERT_TRUE(tmp);
    ASSERT_EQ(::fstat(tmp.get(), &found), 0);
    EXPECT_TRUE(is_same_file(own, found));
    EXPECT_FALSE(open_in_root(root, "up", O_DIRECTORY));
    ::unlink((dir + "/tmp").c_str());
    ::unlink((dir + "/up").c_str());
    ::rmdir(dir.c_str());
}

TEST(ReaderSpawner, a_reader_answers_for_a_process_without_a_map) {
    ReaderSpawner spawner;
    ReaderLink link(spawner.watch(static_cast<uint32_t>(::getpid())));
    const std::vector<uint64_t> addresses{1, 2};
    link.ask(addresses);
    std::optional<MapAnswer> answer;
    while (link.is_waiting() && !(answer = link.pump())) {
        pollfd fd{link.fd(), link.events(), 0};
        ::poll(&fd, 1, 10000);
    }
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->state, MapState::absent);
}

TEST(ReaderLink, a_process_that_maps_jitdumps_without_end_fills_no_memory) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    const Fd reader(ends[1]);
    ReaderLink link((Fd(ends[0])));
    const std::string path(longest_dump_path, 'd');
    size_t received = 0;
    std::string piece(size_t{1} << 16, '\0');
    for (size_t i = 0; i < 4 * ReaderLink::most_named_dumps; ++i) {
        link.name_dump(path);
        for (ssize_t n; (n = ::recv(ends[1], piece.data(), piece.size(), 0)) > 0;)
            received += static_cast<size_t>(n);
    }
    EXPECT_EQ(received, ReaderLink::most_named_dumps * (sizeof(ReaderRequest) + path.size()));
}

TEST(ProcessPlace, a_jitdump_is_known_by_its_name) {
    EXPECT_TRUE(is_dump_path("/a/jit-7.dump"));
    for (const char* path :
         {"/a/jit-7.dump/x", "jit-.dump", "/jit-7x.dump", "/a/7.dump", "", ".dump", "jit-.dum"})
        EXPECT_FALSE(is_dump_path(path)) << path;
    ProcessPlace place;
    place.pid = 1;
    place.tgid = 8;
    EXPECT_EQ(find_dump("/jit-7.dump", place).state, MapState::absent);
}

TEST(ProcessPlace, a_jitdump_that_is_not_the_process_s_own_file_is_not_used) {
    const test::TempDir dir;
    const std::string path = dir / "jit-7.dump", secret = dir.write("secret", "none of its business");
    ProcessPlace place{open_file(dir.path(), O_PATH | O_DIRECTORY), 8, 7, ::geteuid(), ::getegid()};
    const auto state = [&](auto make) {
        std::filesystem::remove_all(path);
        make();
        const FoundMap found = find_dump("/jit-7.dump", place);
        EXPECT_EQ(static_cast<bool>(found.file), found.state == MapState::read);
        return found.state;
    };
    EXPECT_EQ(state([&] { ::mkfifo(path.c_str(), 0600); }), MapState::no_file);
    EXPECT_EQ(state([&] { ::mkdir(path.c_str(), 0700); }), MapState::no_file);
    EXPECT_EQ(state([&] { ::symlink(secret.c_str(), path.c_str()); }), MapState::no_file);
    EXPECT_EQ(state([&] { dir.write("jit-7.dump", "a"); }), MapState::read);
    EXPECT_EQ(find_dump("/../jit-7.dump", place).state, MapState::read) << "its root is its root";
    place.start = INT64_MAX;
    EXPECT_EQ(state([&] { dir.write("jit-7.dump", "a"); }), MapState::stale);
    place.start = 0;
    place.uid = ::geteuid() + 1;
    EXPECT_EQ(state([&] { dir.write("jit-7.dump", "a"); }), MapState::others);
}

TEST(MapReader, files_of_any_length_end_a_reading) {
    const test::TempDir dir;
    const std::string path = dir.write("sparse", "");
    ASSERT_EQ(::truncate(path.c_str(), off_t{10} << 30), 0);
    const Fd file = open_file(path, O_RDONLY);
    const std::vector<uint64_t> wanted{0x1000};
    constexpr uint64_t limit = 1 << 20;
    const MapAnswer map = read_map(file, wanted, limit);
    EXPECT_TRUE(map.is_cut);
    EXPECT_TRUE(map.symbols.empty());
    const MapAnswer dump = read_dump(file, wanted, true, {}, limit);
    EXPECT_TRUE(dump.is_cut) << "no jitdump";
    EXPECT_TRUE(dump.symbols.empty());
}

}  // namespace op::collect
