// SPDX-License-Identifier: GPL-2.0-or-later
// stream_stat [-l] [-b BYTES] [-p END] [-c COMM] COMMAND...: opens the driver's buffer, starts sampling, runs
// COMMAND, stops, reads to the end, and prints what was there, one "name number" a line, and the account
// against stats/.
//   -l       reads nothing before COMMAND has ended
//   -b       room given to each read
//   -p END   "offset N SAMPLES" lines for the image whose path ends in END
//   -c COMM  "chain user|kernel SAMPLES AT CALLER CALLER" lines for the processes of that name, as struct
//   chain
//            has them
// Exit status: 0; 1 a breach of the format, a ledger that does not balance, or an error; 2 usage; 3 COMMAND
// failed.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stream_check.h"

extern char** environ;
static const char root[] = "/dev/oprofile";

struct options {
    int late;
    size_t room;
    char** command;
};

static void give_up(const char* what) {
    printf("error %s %s\n", what, strerrorname_np(errno));
    exit(1);
}

static int open_file(const char* name, int flags) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0) give_up(name);
    return fd;
}

static void set_enable(const char* value) {
    int fd = open_file("enable", O_WRONLY);
    if (write(fd, value, 1) != 1) give_up(value[0] == '1' ? "enable" : "disable");
    close(fd);
}

static op_u64 cpu_stat(unsigned cpu, const char* name) {
    char path[128], text[32] = "";
    snprintf(path, sizeof path, "stats/cpu%u/%s", cpu, name);
    int fd = open_file(path, O_RDONLY);
    if (read(fd, text, sizeof text - 1) < 0) give_up(path);
    close(fd);
    return strtoull(text, NULL, 10);
}

// One read. False at the end of what is there.
static int read_some(struct stream_counts* counts, int buffer, void* room, size_t size) {
    ssize_t n = read(buffer, room, size);
    if (n < 0 && errno == EINTR) return 1;
    if (n < 0) give_up("read");
    if (n > 0) take_read(counts, room, n);
    return n > 0;
}

// Reads until the process behind pidfd has ended.
static void read_while_running(struct stream_counts* counts, const struct options* options, int buffer,
                               int pidfd, void* room) {
    struct pollfd fds[2] = {{.fd = pidfd, .events = POLLIN}, {.fd = buffer, .events = POLLIN}};
    for (;;) {
        if (poll(fds, options->late ? 1 : 2, -1) < 0 && errno != EINTR) give_up("poll");
        if (fds[0].revents) return;
        if (fds[1].revents) read_some(counts, buffer, room, options->room);
    }
}

// Exit status of the command.
static int sample_command(struct stream_counts* counts, const struct options* options) {
    void* room = malloc(options->room);
    int buffer = open_file("buffer", O_RDONLY);
    pid_t pid;
    set_enable("1");
    if ((errno = posix_spawnp(&pid, options->command[0], NULL, NULL, options->command, environ)) != 0)
        give_up(options->command[0]);
    int pidfd = syscall(SYS_pidfd_open, pid, 0), status = 0;
    if (pidfd < 0) give_up("pidfd_open");
    read_while_running(counts, options, buffer, pidfd, room);
    waitpid(pid, &status, 0);
    set_enable("0");
    while (read_some(counts, buffer, room, options->room))
        continue;
    free(room);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void print(const char* name, op_u64 value) {
    printf("%s %llu\n", name, (unsigned long long)value);
}

// True if every CPU's samples are placed or lost.
static int print_account(const struct stream_counts* counts) {
    op_u64 received = 0, placed = 0, lost = 0, throttled = 0, overruns = 0, filtered = 0;
    int even = 1;
    for (unsigned cpu = 0; cpu < max_cpus; cpu++) {
        char path[64];
        snprintf(path, sizeof path, "%s/stats/cpu%u", root, cpu);
        if (access(path, F_OK) != 0) continue;
        op_u64 taken = cpu_stat(cpu, "sample_received");
        printf("cpu%u received %llu placed %llu lost %llu\n", cpu, (unsigned long long)taken,
               (unsigned long long)counts->placed[cpu], (unsigned long long)counts->lost[cpu]);
        even = even && taken == counts->placed[cpu] + counts->lost[cpu];
        received += taken;
        placed += counts->placed[cpu];
        lost += counts->lost[cpu];
        throttled += cpu_stat(cpu, "throttled");
        overruns += cpu_stat(cpu, "timer_overruns");
        filtered += cpu_stat(cpu, "sample_filtered");
    }
    print("received", received);
    print("placed", placed);
    print("lost", lost);
    print("throttled", throttled);
    print("overruns", overruns);
    print("filtered", filtered);
    puts(even ? "balance ok" : received == placed + lost ? "balance only over all CPUs" : "balance broken");
    return received == placed + lost;
}

static void print_chains(const struct stream_counts* counts) {
    for (size_t i = 0; i < counts->chain_count; i++) {
        const struct chain* chain = &counts->chains[i];
        printf("chain %s %llu", chain->mode == OP_MODE_KERNEL ? "kernel" : "user",
               (unsigned long long)chain->samples);
        for (int n = 0; n < chain_depth; n++)
            printf(" %llu", (unsigned long long)chain->at[n]);
        putchar('\n');
    }
}

static void print_counts(const struct stream_counts* counts) {
    print("user", counts->by_mode[OP_MODE_USER]);
    print("kernel", counts->by_mode[OP_MODE_KERNEL]);
    print("kernel_idle", counts->kernel_by_idle);
    print("user_nowhere", counts->user_nowhere);
    for (int i = 0; i < loss_causes; i++)
        if (counts->lost_by_cause[i])
            printf("lost.%d %llu\n", i, (unsigned long long)counts->lost_by_cause[i]);
    for (int i = 0; i < max_events; i++)
        if (counts->by_event[i]) printf("event%d %llu\n", i, (unsigned long long)counts->by_event[i]);
    print("frames", counts->frames);
    print("kernel_frames", counts->kernel_frames);
    print("deepest", counts->deepest);
    print("missed", counts->missed);
    print("user_stacks", counts->stacks[OP_MODE_USER]);
    print("kernel_stacks", counts->stacks[OP_MODE_KERNEL]);
    print("stack_bytes", counts->stack_bytes);
    print("whole_stacks", counts->whole_stacks);
    print("not_copied", counts->not_copied);
    print("times", counts->times);
    print("untimed", counts->untimed);
    print("maps", counts->maps_records);
    print("throttles", counts->throttles);
    print("unthrottles", counts->unthrottles);
    print("reads", counts->reads);
    print("contexts", counts->contexts);
    print("images", counts->announced);
    print("modules", counts->modules);
    for (size_t i = 0; i < counts->comm_count; i++)
        if (counts->comms[i].samples)
            printf("comm %llu %s\n", (unsigned long long)counts->comms[i].samples, counts->comms[i].name);
    for (size_t i = 0; i < counts->image_slots; i++)
        if (counts->images[i].samples)
            printf("image %llu %s\n", (unsigned long long)counts->images[i].samples, counts->images[i].path);
    for (size_t i = 0; i < counts->image_slots; i++)
        if (counts->images[i].as_app)
            printf("app %llu %s\n", (unsigned long long)counts->images[i].as_app, counts->images[i].path);
    for (size_t i = 0; i < counts->offset_count; i++)
        printf("offset %llu %llu\n", (unsigned long long)counts->offsets[2 * i],
               (unsigned long long)counts->offsets[2 * i + 1]);
    print_chains(counts);
}

int main(int argc, char** argv) {
    struct options options = {.room = 1 << 20};
    static struct stream_counts counts;
    int option;
    while ((option = getopt(argc, argv, "+lb:p:c:")) != -1) {
        if (option == 'l')
            options.late = 1;
        else if (option == 'b')
            options.room = strtoul(optarg, NULL, 0);
        else if (option == 'p')
            counts.offsets_of = optarg;
        else if (option == 'c')
            counts.chains_of = optarg;
        else
            return 2;
    }
    options.command = argv + optind;
    if (optind == argc) return 2;
    int status = sample_command(&counts, &options);
    print_counts(&counts);
    int balanced = print_account(&counts);
    if (counts.bad) print("breaches", counts.bad);
    return counts.bad || !balanced ? 1 : status ? 3 : 0;
}
