// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes the functions of a process into a jitdump file, which recorders find by a mapping of it. Runs inside
// other people's programs: needs no C++ run-time library and throws nothing.
// Format: version 1 of the kernel's jitdump-specification.txt, and one record of our own.
#include "libopagent/opagent.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

enum RecordId : uint32_t { load_record = 0, lines_record = 2, close_record = 3, unload_record = 0x4f500001 };

struct FileHeader {
    uint32_t magic, version, size, machine, padding, pid;
    uint64_t time, flags;
};
static_assert(sizeof(FileHeader) == 40);

struct RecordHeader {
    uint32_t id, size;
    uint64_t time;
};

struct LoadRecord {
    RecordHeader head;
    uint32_t pid, tid;
    uint64_t vma, address, size, index;
};

struct LinesRecord {
    RecordHeader head;
    uint64_t address, count;
};

struct LineEntry {
    uint64_t address;
    uint32_t line, discriminator;
};

struct UnloadRecord {
    RecordHeader head;
    uint64_t address;
};

#if defined __x86_64__
constexpr uint32_t machine = EM_X86_64;
#elif defined __i386__
constexpr uint32_t machine = EM_386;
#elif defined __aarch64__
constexpr uint32_t machine = EM_AARCH64;
#elif defined __arm__
constexpr uint32_t machine = EM_ARM;
#elif defined __powerpc64__
constexpr uint32_t machine = EM_PPC64;
#elif defined __s390__
constexpr uint32_t machine = EM_S390;
#elif defined __riscv
constexpr uint32_t machine = EM_RISCV;
#else
constexpr uint32_t machine = EM_NONE;
#endif

/// Directories of dumps are "jit-PID-" and so many random characters.
constexpr size_t random_characters = 6;
/// Dumps of processes that are gone are removed after so many seconds.
constexpr time_t kept_seconds = 24 * 60 * 60;

/// Memory of a record, freed at the end.
class Buffer {
public:
    explicit Buffer(size_t size) : bytes_(static_cast<char*>(malloc(size))), size_(size) {}
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { free(bytes_); }

    void put(const void* from, size_t size) {
        if (size != 0) memcpy(bytes_ + used_, from, size);
        used_ += size;
    }
    explicit operator bool() const { return bytes_ != nullptr; }
    const char* data() const { return bytes_; }
    size_t size() const { return size_; }

private:
    char* bytes_;
    size_t size_, used_ = 0;
};

/// The function that was reported last.
struct LastLoad {
    const void* code;
    uint64_t vma;
    uint32_t size;
    uint64_t index;
    char* name;
};

/// The state of this process. Guarded by `lock`, but for the child after fork(), which has one thread.
struct Agent {
    bool is_open, watches_forks;
    int file;
    off_t end;
    void* marker;
    uint64_t next_index;
    LastLoad last;
};

// The interface has no object that a caller could keep: one of each process.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
Agent agent;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

class Locked {
public:
    Locked() { pthread_mutex_lock(&lock); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
    ~Locked() { pthread_mutex_unlock(&lock); }
};

/// errno as it was, unless the call fails.
class KeptErrno {
public:
    int result(bool is_done) {
        if (is_done) errno = before_;
        return is_done ? 0 : -1;
    }

private:
    int before_ = errno;
};

long page_size() {
    return sysconf(_SC_PAGESIZE);
}

uint64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

// ---- the file

/// Appends all bytes or nothing.
bool append(const void* bytes, size_t size) {
    const char* const from = static_cast<const char*>(bytes);
    for (size_t done = 0; done < size;) {
        const ssize_t n = pwrite(agent.file, from + done, size - done, agent.end + static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            const int error = n == 0 ? EIO : errno;
            if (ftruncate(agent.file, agent.end) != 0) agent.is_open = false;
            errno = error;
            return false;
        }
        done += static_cast<size_t>(n);
    }
    agent.end += static_cast<off_t>(size);
    return true;
}

bool is_own_directory(int dir, mode_t refused) {
    struct stat st;
    if (fstat(dir, &st) != 0) return false;
    if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & refused) == 0) return true;
    errno = EPERM;
    return false;
}

/// Closes `above`. The directory is the user's, and nobody else may write to it.
int enter_directory(int above, const char* name) {
    if (above < 0) return -1;
    int dir = -1;
    if (mkdirat(above, name, S_IRWXU) == 0 || errno == EEXIST)
        dir = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(above);
    if (dir < 0 || is_own_directory(dir, S_IWGRP | S_IWOTH)) return dir;
    close(dir);
    return -1;
}

int open_base(const char* path) {
    if (!path || path[0] != '/') {
        errno = ENOENT;
        return -1;
    }
    const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0 || is_own_directory(dir, S_IWGRP | S_IWOTH)) return dir;
    close(dir);
    return -1;
}

/// The process of a directory of dumps by its name; 0 for other names.
pid_t process_of(const char* name) {
    int pid = 0, length = 0;
    if (sscanf(name, "jit-%d-%n", &pid, &length) != 1 || length == 0 || pid <= 0) return 0;
    return strlen(name + length) == random_characters ? pid : 0;
}

/// Names of what is made for this or another process.
struct DumpNames {
    char directory[48] = "", file[32] = "";
};

void name_file(pid_t pid, DumpNames& names) {
    snprintf(names.file, sizeof names.file, "jit-%d.dump", static_cast<int>(pid));
}

/// The directory with the file, if it is there. Leaves errno as it was.
void remove_directory(int above, const DumpNames& names) {
    const int error = errno;
    const int dir = openat(above, names.directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir >= 0) {
        unlinkat(dir, names.file, 0);
        close(dir);
        unlinkat(above, names.directory, AT_REMOVEDIR);
    }
    errno = error;
}

void remove_dump(int above, const char* name, pid_t pid) {
    struct stat st;
    if (fstatat(above, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode)) return;
    if (st.st_mtime + kept_seconds > time(nullptr) || kill(pid, 0) == 0 || errno != ESRCH) return;
    DumpNames names;
    if (strlen(name) >= sizeof names.directory) return;
    strcpy(names.directory, name);
    name_file(pid, names);
    remove_directory(above, names);
}

void remove_old_dumps(int above) {
    const int copy = openat(above, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const entries = copy < 0 ? nullptr : fdopendir(copy);
    if (!entries && copy >= 0) close(copy);
    if (!entries) return;
    while (const dirent* const entry = readdir(entries))
        if (const pid_t pid = process_of(entry->d_name)) remove_dump(above, entry->d_name, pid);
    closedir(entries);
}

/// A directory of a new name below `above`; `names` has no directory if none was made.
int make_directory(int above, DumpNames& names) {
    for (int tries = 0; tries < 16; ++tries) {
        uint64_t random = now() ^ static_cast<uint64_t>(getpid()) << 32;
        syscall(SYS_getrandom, &random, sizeof random, 0);
        char* const name = names.directory;
        const int length = snprintf(name, sizeof names.directory, "jit-%d-", static_cast<int>(getpid()));
        for (size_t i = 0; i < random_characters; ++i, random /= 26)
            name[static_cast<size_t>(length) + i] = static_cast<char>('a' + random % 26);
        name[static_cast<size_t>(length) + random_characters] = '\0';
        if (mkdirat(above, name, S_IRWXU) != 0) {
            name[0] = '\0';
            if (errno == EEXIST) continue;
            return -1;
        }
        return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    return -1;
}

bool write_header() {
    FileHeader header{};
    header.magic = 0x4A695444;
    header.version = 1;
    header.size = sizeof header;
    header.machine = machine;
    header.pid = static_cast<uint32_t>(getpid());
    header.time = now();
    return append(&header, sizeof header);
}

/// Makes the file in `own`, which is closed, and the mapping by which recorders find it. A file system that
/// is mounted noexec refuses the mapping.
bool make_file(int own, const char* name) {
    agent.file = openat(own, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    close(own);
    if (agent.file < 0) return false;
    agent.end = 0;
    agent.marker = MAP_FAILED;
    if (write_header())
        agent.marker = mmap(nullptr, static_cast<size_t>(page_size()), PROT_READ | PROT_EXEC, MAP_PRIVATE,
                            agent.file, 0);
    if (agent.marker != MAP_FAILED) return true;
    const int error = errno;
    close(agent.file);
    errno = error;
    return false;
}

/// The same in a new directory below `dir`, which is closed. What fails leaves nothing there.
bool open_in(int dir) {
    if (dir < 0) return false;
    remove_old_dumps(dir);
    DumpNames names;
    name_file(getpid(), names);
    const int own = make_directory(dir, names);
    const bool is_made = own >= 0 && make_file(own, names.file);
    if (!is_made) remove_directory(dir, names);
    close(dir);
    return is_made;
}

bool open_anywhere() {
    const int run_time = open_base(secure_getenv("XDG_RUNTIME_DIR"));
    if (open_in(enter_directory(enter_directory(run_time, "oprofile"), "jit"))) return true;
    return open_in(enter_directory(enter_directory(open_base(secure_getenv("HOME")), ".oprofile"), "jit"));
}

/// Leaves the file behind for whoever reads it.
void let_go() {
    munmap(agent.marker, static_cast<size_t>(page_size()));
    close(agent.file);
    free(agent.last.name);
    agent.last = {};
    agent.is_open = false;
}

/// The child has none of the parent's file, and its lock may have been taken.
void after_fork() {
    pthread_mutex_init(&lock, nullptr);
    if (agent.is_open) let_go();
}

// ---- records

bool is_open(op_agent_t handle) {
    if (handle == &agent && agent.is_open) return true;
    errno = EINVAL;
    return false;
}

bool write_load(const LastLoad& load) {
    const size_t name_size = strlen(load.name) + 1;
    // A function of which no bytes are known has a size all the same, which the format cannot express: zeros.
    const size_t size = sizeof(LoadRecord) + name_size + load.size;
    if (size > UINT32_MAX) {
        errno = EINVAL;
        return false;
    }
    Buffer record(size);
    if (!record) return false;
    const LoadRecord head{{load_record, static_cast<uint32_t>(size), now()},
                          static_cast<uint32_t>(getpid()),
                          static_cast<uint32_t>(syscall(SYS_gettid)),
                          load.vma,
                          load.vma,
                          load.size,
                          load.index};
    record.put(&head, sizeof head);
    record.put(load.name, name_size);
    if (load.code) record.put(load.code, load.size);
    if (!load.code && load.size != 0)
        memset(const_cast<char*>(record.data()) + size - load.size, 0, load.size);
    return append(record.data(), record.size());
}

bool write_lines(const LastLoad& load, size_t count, const debug_line_info* lines) {
    size_t size = sizeof(LinesRecord);
    for (size_t i = 0; i < count && size <= UINT32_MAX; ++i)
        size += sizeof(LineEntry) + strlen(lines[i].filename ? lines[i].filename : "") + 1;
    if (size > UINT32_MAX) {
        errno = EINVAL;
        return false;
    }
    Buffer record(size);
    if (!record) return false;
    const LinesRecord head{{lines_record, static_cast<uint32_t>(size), now()}, load.vma, count};
    record.put(&head, sizeof head);
    for (size_t i = 0; i < count; ++i) {
        const LineEntry entry{lines[i].vma, lines[i].lineno, 0};
        const char* const file = lines[i].filename ? lines[i].filename : "";
        record.put(&entry, sizeof entry);
        record.put(file, strlen(file) + 1);
    }
    return append(record.data(), record.size());
}

}  // namespace

extern "C" op_agent_t op_open_agent(void) {
    const int before = errno;
    const Locked locked;
    if (agent.is_open) {
        errno = EBUSY;
        return nullptr;
    }
    if (!agent.watches_forks && pthread_atfork(nullptr, nullptr, after_fork) != 0) {
        errno = ENOMEM;
        return nullptr;
    }
    agent.watches_forks = true;
    if (!open_anywhere()) return nullptr;
    agent.is_open = true;
    errno = before;
    return &agent;
}

extern "C" int op_close_agent(op_agent_t hdl) {
    KeptErrno kept;
    const Locked locked;
    if (!is_open(hdl)) return -1;
    const RecordHeader record{close_record, sizeof record, now()};
    const int result = kept.result(append(&record, sizeof record));
    const int error = errno;
    let_go();
    errno = error;
    return result;
}

extern "C" int op_write_native_code(op_agent_t hdl, char const* symbol_name, uint64_t vma, void const* code,
                                    unsigned int const size) {
    KeptErrno kept;
    const Locked locked;
    if (!is_open(hdl)) return -1;
    char* const name = strdup(symbol_name ? symbol_name : "");
    if (!name) return -1;
    free(agent.last.name);
    agent.last = {code, vma, size, agent.next_index++, name};
    return kept.result(write_load(agent.last));
}

// In the format lines stand before their function. So the function is reported a second time behind them.
extern "C" int op_write_debug_line_info(op_agent_t hdl, void const* code, size_t nr_entry,
                                        struct debug_line_info const* compile_map) {
    KeptErrno kept;
    const Locked locked;
    if (!is_open(hdl)) return -1;
    if (nr_entry == 0 || !compile_map || !agent.last.name || agent.last.code != code) return 0;
    return kept.result(write_lines(agent.last, nr_entry, compile_map) && write_load(agent.last));
}

extern "C" int op_unload_native_code(op_agent_t hdl, uint64_t vma) {
    KeptErrno kept;
    const Locked locked;
    if (!is_open(hdl)) return -1;
    const UnloadRecord record{{unload_record, sizeof record, now()}, vma};
    return kept.result(append(&record, sizeof record));
}

extern "C" int op_major_version(void) {
    return 1;
}

extern "C" int op_minor_version(void) {
    return 0;
}
