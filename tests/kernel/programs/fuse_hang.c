// SPDX-License-Identifier: GPL-2.0-or-later
// fuse_hang serve DIRECTORY: mounts a file system there with one file, `file`, and serves it, except that it
// never answers a read. fuse_hang victim FILE: a program whose memory map stays locked: another process reads
// its memory where that file is mapped and waits for the server with the lock held, and a thread of its own
// waits for the lock to map something. A further thread computes. Prints
//   "victim PID", "reader PID"
//   "progress N"  what that thread computed in a second of this state, N > 0
//   "slept N"     how often it slept in that second
// and leaves both processes behind. fuse_hang read FILE: opens the driver's buffer, starts sampling, prints
// "open", and reads into memory that is a mapping of that file. The processes exit with 1 if something fails.
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { file_node = 2, file_size = 65536 };

static void give_up(const char* what) {
    printf("error %s: %s\n", what, strerror(errno));
    exit(1);
}

// ---- the server ----

static struct fuse_attr attributes(uint64_t node) {
    struct fuse_attr a = {.ino = node, .nlink = 1, .blksize = 4096, .mode = S_IFDIR | 0755};
    if (node == file_node) {
        a.mode = S_IFREG | 0644;
        a.size = file_size;
    }
    return a;
}

static void reply(int fd, const struct fuse_in_header* request, int error, const void* body, size_t size) {
    struct fuse_out_header header = {.len = sizeof header + size, .error = -error, .unique = request->unique};
    struct iovec parts[] = {{&header, sizeof header}, {(void*)(uintptr_t)body, size}};
    if (writev(fd, parts, 2) < 0 && errno != ENOENT) give_up("reply");
}

static void answer(int fd, const struct fuse_in_header* request) {
    const void* body = request + 1;
    switch (request->opcode) {
        case FUSE_INIT: {
            const struct fuse_init_in* in = body;
            struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION};
            out.max_readahead = in->max_readahead;
            out.max_write = 65536;
            out.flags = FUSE_ASYNC_READ;  // who needs a page waits for the page, not for the request
            return reply(fd, request, 0, &out, sizeof out);
        }
        case FUSE_LOOKUP: {
            struct fuse_entry_out out = {.nodeid = file_node, .entry_valid = 1000, .attr_valid = 1000};
            out.attr = attributes(file_node);
            int found = strcmp(body, "file") == 0;
            return reply(fd, request, found ? 0 : ENOENT, &out, found ? sizeof out : 0);
        }
        case FUSE_GETATTR: {
            struct fuse_attr_out out = {.attr_valid = 1000, .attr = attributes(request->nodeid)};
            return reply(fd, request, 0, &out, sizeof out);
        }
        case FUSE_OPEN:
        case FUSE_OPENDIR: {
            struct fuse_open_out out = {.fh = 1};
            return reply(fd, request, 0, &out, sizeof out);
        }
        case FUSE_READ:
        case FUSE_FORGET:
        case FUSE_BATCH_FORGET:
        case FUSE_INTERRUPT:
            return;
        case FUSE_RELEASE:
        case FUSE_RELEASEDIR:
        case FUSE_FLUSH:
        case FUSE_DESTROY:
            return reply(fd, request, 0, NULL, 0);
        default:
            return reply(fd, request, ENOSYS, NULL, 0);
    }
}

static int serve(const char* directory) {
    static char request[1 << 20] __attribute__((aligned(8)));
    char options[128];
    int fd = open("/dev/fuse", O_RDWR);
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd);
    if (fd < 0 || mount("fuse_hang", directory, "fuse", 0, options) != 0) give_up("mount");
    for (;;) {
        ssize_t n = read(fd, request, sizeof request);
        if (n < 0 && errno == ENODEV) return 0;
        if (n < 0 && errno != EINTR && errno != ENOENT) give_up("read");
        if (n > 0) answer(fd, (const void*)request);
    }
}

// ---- the victim ----

struct shared {
    _Atomic int computing;  ///< thread of the victim that computes
    _Atomic int locked;     ///< the other process waits with the lock held
    char* _Atomic mapping;  ///< of the file
    _Atomic uint64_t sum;
};

static void* compute(void* argument) {
    struct shared* shared = argument;
    atomic_store(&shared->computing, (int)syscall(SYS_gettid));
    for (;;)
        atomic_fetch_add_explicit(&shared->sum, 1, memory_order_relaxed);
    return NULL;
}

static int be_victim(struct shared* shared, const char* path) {
    pthread_t id;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || pthread_create(&id, NULL, compute, shared) != 0) give_up("victim");
    char* mapping = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapping == MAP_FAILED) give_up("mmap");
    atomic_store(&shared->mapping, mapping);
    while (!atomic_load(&shared->locked))
        usleep(1000);
    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pause();
    return 0;
}

static int read_memory(pid_t victim, const char* address) {
    char path[64], byte;
    snprintf(path, sizeof path, "/proc/%d/mem", victim);
    int fd = open(path, O_RDONLY);
    return fd < 0 || pread(fd, &byte, 1, (off_t)(uintptr_t)address) != 1;
}

// The value of the line `name` of a thread's status.
static long status_of(pid_t process, pid_t thread, const char* name, char* state) {
    char path[64], line[256];
    long value = -1;
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", process, thread);
    FILE* file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (state && strncmp(line, "State:", 6) == 0) *state = line[7];
        if (strncmp(line, name, strlen(name)) == 0) value = atol(line + strlen(name) + 1);
    }
    if (file) fclose(file);
    return value;
}

static void wait_until_stuck(pid_t process) {
    int found = 0;
    for (int i = 0; i < 1000 && found < 20; i++) {
        char state = 0;
        status_of(process, process, "Pid", &state);
        found = state == 'D' ? found + 1 : 0;
        usleep(10000);
    }
    if (found < 20) give_up("a process does not wait");
}

static int watch(const char* path) {
    struct shared* shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_SHARED, -1, 0);
    if (shared == MAP_FAILED) give_up("mmap");
    pid_t victim = fork();
    if (victim == 0) _exit(be_victim(shared, path));
    while (!atomic_load(&shared->mapping) || !atomic_load(&shared->computing))
        usleep(1000);
    pid_t reader = fork();
    if (reader == 0) _exit(read_memory(victim, atomic_load(&shared->mapping)));
    wait_until_stuck(reader);
    atomic_store(&shared->locked, 1);
    wait_until_stuck(victim);
    pid_t thread = atomic_load(&shared->computing);
    const char* sleeps = "voluntary_ctxt_switches";
    uint64_t sum = atomic_load(&shared->sum);
    long slept = status_of(victim, thread, sleeps, NULL);
    sleep(1);
    printf("victim %d\nreader %d\n", victim, reader);
    printf("progress %llu\n", (unsigned long long)(atomic_load(&shared->sum) - sum));
    printf("slept %ld\n", status_of(victim, thread, sleeps, NULL) - slept);
    return 0;
}

// ---- the reader ----

static int read_buffer(const char* path) {
    int fd = open(path, O_RDONLY), buffer = open("/dev/oprofile/buffer", O_RDONLY);
    int enable = open("/dev/oprofile/enable", O_WRONLY);
    if (fd < 0 || buffer < 0 || enable < 0 || write(enable, "1", 1) != 1) give_up("start");
    void* room = mmap(NULL, file_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (room == MAP_FAILED) give_up("mmap");
    puts("open");
    fflush(stdout);
    return read(buffer, room, file_size) < 0;
}

int main(int argc, char** argv) {
    if (argc == 3 && strcmp(argv[1], "serve") == 0) return serve(argv[2]);
    if (argc == 3 && strcmp(argv[1], "victim") == 0) return watch(argv[2]);
    if (argc == 3 && strcmp(argv[1], "read") == 0) return read_buffer(argv[2]);
    return 2;
}
