// SPDX-License-Identifier: GPL-2.0-or-later
// opagent_calls: reports code as a JIT compiler does, checks what libopagent returns, and prints the path of
// the mapped dump. With "abroad" nothing may be writable, and opening has to fail.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "libopagent/opagent.h"

namespace {

const char code[] = "\x90\x90\x90\xc3";

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
    std::exit(1);
}

bool is_refused(int result) {
    return result == -1 && errno == EINVAL;
}

void* report_many(void* agent) {
    for (uint64_t i = 0; i < 200; ++i)
        require(op_write_native_code(agent, "many", 0x7f0000100000 + i * 16, code, 4) == 0, "write");
    return nullptr;
}

void print_marker() {
    std::FILE* const maps = std::fopen("/proc/self/maps", "r");
    for (char line[4096]; std::fgets(line, sizeof line, maps);)
        if (std::strstr(line, "r-xp") && std::strstr(line, "/jit-") && std::strstr(line, ".dump"))
            std::printf("%s", std::strchr(line, '/'));
    std::fclose(maps);
}

void use(op_agent_t agent) {
    require(op_write_native_code(agent, "int J.fib(int)", 0x7f0000001000, code, 4) == 0, "write");
    const debug_line_info lines[] = {{0x7f0000001000, 1, "/src/fib.j"}, {0x7f0000001002, 2, "/src/fib.j"}};
    require(op_write_debug_line_info(agent, code, 2, lines) == 0, "lines");
    require(op_write_debug_line_info(agent, code, 0, nullptr) == 0, "no lines");
    require(op_write_native_code(agent, "", 0x7f0000002000, nullptr, 8) == 0, "no name, no bytes");
    require(op_unload_native_code(agent, 0x7f0000001000) == 0, "unload");
    require(is_refused(op_write_native_code(nullptr, "f", 1, code, 4)), "bad handle to write");
    require(is_refused(op_write_debug_line_info(&agent, code, 2, lines)), "bad handle to lines");
    require(is_refused(op_unload_native_code(&agent, 1)), "bad handle to unload");
    require(is_refused(op_close_agent(&agent)), "bad handle to close");
}

void fork_and_use(op_agent_t agent) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        require(is_refused(op_write_native_code(agent, "child", 1, code, 4)), "the parent's handle");
        const op_agent_t own = op_open_agent();
        require(own != nullptr, "open in the child");
        require(op_write_native_code(own, "child", 0x7f0000003000, code, 4) == 0, "write in the child");
        print_marker();
        std::fflush(stdout);
        std::_Exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    errno = 0;
    require(status == 0, "the child");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "abroad") == 0) {
        require(op_open_agent() == nullptr, "opened");
        return 0;
    }
    require(op_major_version() == 1 && op_minor_version() == 0, "version");
    require(is_refused(op_close_agent(nullptr)), "close before open");
    const op_agent_t agent = op_open_agent();
    require(agent != nullptr, "open");
    require(op_open_agent() == nullptr && errno == EBUSY, "a second one");
    print_marker();
    use(agent);
    pthread_t threads[4];
    for (pthread_t& thread : threads)
        pthread_create(&thread, nullptr, report_many, agent);
    for (const pthread_t thread : threads)
        pthread_join(thread, nullptr);
    fork_and_use(agent);
    require(op_close_agent(agent) == 0, "close");
    require(is_refused(op_close_agent(agent)), "close twice");
    return 0;
}
