// SPDX-License-Identifier: GPL-2.0-or-later
// oprofiled: the daemon of system-wide profiling. Here are its options and the order in which things are
// opened and given up; its work is daemon/service's.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "daemon/jit/reader_spawner.h"
#include "daemon/perf/perf_open.h"
#include "daemon/service/background.h"
#include "daemon/service/control_server.h"
#include "daemon/service/privileges.h"
#include "daemon/service/service.h"
#include "daemon/service/service_manager.h"
#include "daemon/service/sources.h"
#include "daemon/source/kallsyms_copy.h"
#include "daemon/source/kernel_map.h"
#include "daemon/source/machine.h"
#include "daemon/source/vmlinux.h"
#include "libop/base/access_policy.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/path.h"
#include "libop/base/text.h"
#include "libop/control/daemon_settings.h"
#include "libop/control/rotation_settings.h"
#include "utils/shared/options.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

using namespace op::collect;

struct Options {
    std::string source, session_dir = system_session_dir, vmlinux, kernel_range, user;
    std::string control = control_socket_path, oprofilefs = "/dev/oprofile";
    std::vector<std::string> events, separate, images, verbose;
    std::optional<uint64_t> separate_lib, separate_kernel, separate_thread, separate_cpu;
    std::optional<uint64_t> callgraph, dump_interval;
    std::string rotate, keep, max_disk;

    RotationSettings rotation() const { return parse_rotation(rotate, keep, max_disk); }
    bool no_vmlinux = false, foreground = false, start = false, callgraph_files = false;
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.has_exact_names = true;
    s.synopsis = "";
    s.options = {
        {"source", 0, &o.source,
         "driver, perf or replay:FILE (default: the driver if it is there, else perf)", "NAME"},
        {"events", 'e', &o.events,
         "NAME:COUNT[:UNITMASK[:KERNEL[:USER]]] or NAME:CODE:COUNTER:COUNT:UNITMASK:KERNEL:USER", "LIST"},
        {"separate", 0, &o.separate, "keep samples apart by: none, library, kernel, thread, cpu, all",
         "LIST"},
        {"separate-lib", 0, &o.separate_lib, "1: samples in libraries by program", "0|1"},
        {"separate-kernel", 0, &o.separate_kernel, "1: samples in the kernel by program", "0|1"},
        {"separate-thread", 0, &o.separate_thread, "1: samples by thread", "0|1"},
        {"separate-cpu", 0, &o.separate_cpu, "1: samples by CPU", "0|1"},
        {"callgraph", 'c', &o.callgraph, "record call chains of that many callers (0: none)", "DEPTH"},
        {"callgraph-files", 0, &o.callgraph_files,
         "with --callgraph: also write pairs of caller and callee, for OProfile's programs"},
        {"session-dir", 0, &o.session_dir, "where the data goes (default: /var/lib/oprofile)", "DIR"},
        {"vmlinux", 'k', &o.vmlinux, "uncompressed kernel image with symbols", "FILE"},
        {"no-vmlinux", 0, &o.no_vmlinux, "there is no such image: symbols come from /proc/kallsyms"},
        {"kernel-range", 'r', &o.kernel_range, "where the kernel's code lies, in hexadecimal", "START,END"},
        {"image", 0, &o.images, "only samples in these binaries", "PATH,..."},
        {"start", 0, &o.start, "sample at once"},
        {"dump-interval", 0, &o.dump_interval, "seconds between writing the account (default 60)", "SECONDS"},
        {"rotate", 0, &o.rotate, "begin a new session at each midnight or full hour, UTC; save the old one",
         "1d|1h"},
        {"keep", 0, &o.keep, "with --rotate: drop saved sessions that are older, as 7d or 36h", "TIME"},
        {"max-disk", 0, &o.max_disk,
         "with --rotate: drop saved sessions beyond so many bytes, pushed ones first, as 500M or 2G",
         "BYTES"},
        {"user", 0, &o.user, "the user to become once all is open (default: oprofile if there is one)",
         "NAME"},
        {"control", 0, &o.control, "control socket (default: /run/oprofiled/control)", "PATH"},
        {"oprofilefs", 0, &o.oprofilefs, "the driver's files (default: /dev/oprofile)", "DIR"},
        {"foreground", 0, &o.foreground, "do not go into the background"},
        {"verbose", 'V', &o.verbose, "say more in the log: all", "LIST"},
    };
    return s;
}

/// --separate and its classic spellings.
Separation separation(const Options& o) {
    Separation s = parse_separation(o.separate);
    s.library = o.separate_lib.value_or(s.library);
    s.kernel = o.separate_kernel.value_or(s.kernel);
    s.thread = o.separate_thread.value_or(s.thread);
    s.cpu = o.separate_cpu.value_or(s.cpu);
    s.library |= s.kernel;
    return s;
}

/// Paths must not depend on the directory: the daemon leaves it.
std::string absolute(const std::string& path) {
    return path.empty() ? path : absolute_path(path);
}

/// --image: absolute paths, none for all.
std::vector<std::string> only_images(const Options& o) {
    if (o.images.size() == 1 && o.images.front() == "all") return {};
    for (const std::string& path : o.images)
        if (!path.starts_with('/'))
            throw_usage("--image=" + path + ": must be the absolute path of a binary");
    return o.images;
}

void check(Options& o) {
    if (o.no_vmlinux && !o.vmlinux.empty()) throw_usage("--vmlinux and --no-vmlinux exclude each other");
    if (o.dump_interval && (*o.dump_interval == 0 || *o.dump_interval > 86400))
        throw_usage("--dump-interval: must be from 1 to 86400 seconds");
    if (o.rotation().period == 0 && (!o.keep.empty() || !o.max_disk.empty()))
        throw_usage("--keep and --max-disk need --rotate");
    if (!o.user.empty() && !find_user(o.user)) throw_usage("--user=" + o.user + ": no such user");
    if (o.session_dir.empty()) throw_usage("--session-dir: no directory was given");
    parse_daemon_event_specs(o.events);
    separation(o);
    only_images(o);
    if (!o.kernel_range.empty()) parse_kernel_range(o.kernel_range);
    if (!o.source.empty()) parse_source(o.source);
    o.session_dir = absolute(o.session_dir);
    o.control = absolute(o.control);
    o.oprofilefs = absolute(o.oprofilefs);
}

/// The daemon from its first step to its last.
class Daemon {
public:
    Daemon(Tool& tool, const Options& options, Background& background)
        : tool_(tool), o_(options), background_(background), signals_({SIGUSR1, SIGUSR2, SIGPIPE}) {}

    int run() {
        ::umask(022);
        raise_file_limit();
        open_source();
        control_.emplace(o_.control, ::getuid(), [this](const ControlRequest& request, ClientRole role) {
            return service_->handle(request, role);
        });
        make_session_dir();
        give_up_privileges();
        open_session();
        ServiceParts parts{*source_, *session_, *keeper_, *log_, tool_.notes};
        service_.emplace(parts, service_options());
        const int status = service_->run(*control_, signals_, [this] { report_ready(); });
        notify_service_manager("STOPPING=1");
        return status;
    }

private:
    void open_source();
    void make_session_dir() const;
    void give_up_privileges() const;
    void open_session();
    ServiceOptions service_options() const;
    void report_ready();

    Tool& tool_;
    const Options& o_;
    Background& background_;
    StopSignals signals_;
    ReaderSpawner readers_;  ///< before rights are given up, which it needs
    KallsymsCopy kernel_symbols_;
    std::unique_ptr<SampleSource> source_;
    GapFiller gaps_;
    const SourceKind* kind_ = nullptr;
    std::string model_;
    std::optional<ControlServer> control_;
    std::optional<SessionWriter> session_;
    std::optional<ServiceLog> log_;
    std::optional<SessionKeeper> keeper_;
    std::optional<Service> service_;
};

/// The source that --source names, else the best one, with a note if that is not the first choice.
const SourceKind& choose_source(const Options& o, SourceOptions& source, Tool& tool) {
    if (!o.source.empty()) {
        const SourceName named = parse_source(o.source);
        source.stream = absolute(named.path);
        return *named.kind;
    }
    const SourceKind& best = best_source(source);
    const SourceKind& first = source_kinds().front();
    if (&best != &first)
        write_stderr(tool.name + ": " + std::string(first.absence) + " (" + printable(o.oprofilefs) +
                     "), sampling through " + std::string(best.description) + "\n");
    return best;
}

SessionInfo describe_session() {
    SessionInfo info = describe_machine();
    info.tool = std::string("oprofiled ") + OP_VERSION;
    info.command = "whole system";
    info.start_time = epoch_seconds();
    return info;
}

void Daemon::open_source() {
    SourceOptions source;
    source.files = Oprofilefs(o_.oprofilefs);
    source.events = parse_daemon_event_specs(o_.events);
    source.callgraph = o_.callgraph.value_or(0);
    if (source.callgraph > 0) {
        source.stack_bytes = usual_stack;
        source.larger_stack_bytes = largest_stack;
    }
    source.perf_target = {PerfTarget::Kind::system};
    kernel_symbols_.keep_ranges_only();
    source.kallsyms = &kernel_symbols_;
    source.is_stopping = [] { return StopSignals::is_stop_pending(false); };  // opens the log again
    if (!o_.vmlinux.empty()) source.kernel = read_vmlinux(o_.vmlinux, running_kernel_build_id(), tool_.notes);
    if (!o_.kernel_range.empty()) source.kernel.asked = parse_kernel_range(o_.kernel_range);
    kind_ = &choose_source(o_, source, tool_);
    if (!kind_->is_live && o_.rotation().period != 0)
        throw_usage("--rotate: a recorded stream has times of its own, which are not cut");
    if (kind_->is_live) source.described = describe_session();
    kind_->describe(source, tool_.notes);
    model_ = source.model;
    source_ = kind_->open(source, tool_.notes).source;
}

void Daemon::make_session_dir() const {
    const AccessPolicy policy = own_access_policy();
    if (::mkdir(o_.session_dir.c_str(), policy.first_directory_mode()) == 0)
        policy.finish(open_file(o_.session_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    else if (errno != EEXIST)
        throw_system("cannot make session directory " + printable(o_.session_dir));
}

void Daemon::give_up_privileges() const {
    if (::geteuid() != 0) {
        if (!o_.user.empty()) throw_usage("--user: only root can become another user");
        return;
    }
    const auto user = find_user(o_.user.empty() ? daemon_user : o_.user);
    if (user && user->uid != 0) hand_over_session(o_.session_dir, *user);
    struct stat st {};
    const bool own = ::stat(o_.session_dir.c_str(), &st) == 0 && st.st_uid == (user ? user->uid : 0);
    drop_privileges(user ? &*user : nullptr, own);
}

void Daemon::open_session() {
    session_.emplace(o_.session_dir, false, tool_.notes);
    session_->begin(true);
    const std::string left = o_.rotation().period != 0 ? rotate_left_session(*session_, tool_.notes) : "";
    log_.emplace(*session_, [this](const std::string& line) { write_stderr(tool_.name + ": " + line); });
    if (!left.empty()) log_->say("the session of a run before was saved as " + left);
    const uint64_t callers = o_.callgraph.value_or(0);
    const CollectorOptions options{.separation = separation(o_),
                                   .images_are_local = kind_->is_live,
                                   .stacks = callers > 0,
                                   .most_callers = callers > 0 ? callers : SIZE_MAX,
                                   .arcs = callers > 0 && o_.callgraph_files,
                                   .only_images = only_images(o_),
                                   .exec_code = &kernel_symbols_.exec_code()};
    FillGaps fill;
    RecorderClock clock;  // to read a recorded stream is not recording
    if (kind_->is_live) {
        fill = [this](const Sample& sample, Gap gap) { return gaps_(sample, gap); };
        clock = own_recorder_clock();
    }
    keeper_.emplace(*session_, source_->describe(), options, true, tool_.notes, std::move(fill),
                    std::move(clock));
    if (kind_->is_live) keeper_->capture_code(readers_);
}

ServiceOptions Daemon::service_options() const {
    ServiceOptions s;
    s.source = kind_->name;
    s.model = model_;
    s.separate = to_text(separation(o_));
    s.vmlinux = o_.vmlinux.empty() ? vmlinux_none : o_.vmlinux;
    s.session_dir = o_.session_dir;
    s.start = o_.start;
    s.verbose = !o_.verbose.empty();
    s.rotation = o_.rotation();
    if (o_.dump_interval) s.dump_interval = std::chrono::seconds(*o_.dump_interval);
    return s;
}

void Daemon::report_ready() {
    background_.ready();
    notify_service_manager("READY=1");
}

int oprofiled(Tool& tool, int argc, char** argv) {
    Options options;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(options));
    if (parsed.exit_status) return *parsed.exit_status;
    if (!parsed.words.empty()) throw_usage("unknown word: " + parsed.words.front());
    check(options);
    Background background(options.foreground);
    if (const auto status = background.parent_status()) return *status;
    return Daemon(tool, options, background).run();
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::oprofiled);
}
