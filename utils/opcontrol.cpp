// SPDX-License-Identifier: GPL-2.0-or-later
// opcontrol: system-wide profiling by the driver, or by perf_event_open if the driver is not loaded. Keeps
// the settings, programs the driver, and controls oprofiled, which does the profiling.
#include <poll.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "daemon/collect/rotation.h"
#include "daemon/driver/driver_setup.h"
#include "daemon/perf/perf_events.h"
#include "daemon/perf/perf_probe.h"
#include "daemon/service/privileges.h"
#include "libop/base/error.h"
#include "libop/base/path.h"
#include "libop/base/text.h"
#include "libop/control/control.h"
#include "libop/session/session.h"
#include "libop/stacks/recover_account.h"
#include "utils/opcontrol/control_daemon.h"
#include "utils/opcontrol/control_options.h"
#include "utils/opcontrol/control_paths.h"
#include "utils/opcontrol/control_status.h"
#include "utils/opcontrol/driver_module.h"
#include "utils/opcontrol/driver_timers.h"
#include "utils/opcontrol/event_list.h"
#include "utils/opcontrol/nmi_watchdog.h"
#include "utils/opcontrol/prepare_source.h"
#include "utils/opcontrol/session_owner.h"
#include "utils/opcontrol/settings_store.h"
#include "utils/shared/event_listing.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

using std::chrono::seconds;

constexpr seconds quick{5};  // for what the daemon answers from memory
constexpr seconds slow{30};  // for what it answers when all is on disk

/// One run of opcontrol: a function for each action.
class Control {
public:
    Control(Tool& tool, const ControlOptions& options, ControlPaths paths)
        : tool_(tool), o_(options), paths_(std::move(paths)) {}

    void run(ControlAction action);

private:
    void setup() { change_settings(EventUse::later); }

    /// Events that cannot be counted at `use` are refused before anything is saved.
    void change_settings(EventUse use) {
        const SettingsStore store(paths_.home, true);
        DaemonSettings settings = store.load();
        apply_settings(o_, settings);
        if (!o_.events.empty() || o_.callgraph) choice_ = choose_settings_events(settings, paths_, use);
        store.save(settings, daemon_.has_value());
        if (daemon_) say("the daemon is running; the settings take effect at its next start");
    }

    void init() {
        const bool was_loaded = is_driver_loaded(paths_);
        const auto reason = bring_up_driver(paths_, {o_.module.value_or(""), o_.model.value_or("")});
        if (was_loaded && !reason && o_.module)
            say("a driver was loaded already, so " + printable(*o_.module) +
                " was not; to load it, unload that one first (opcontrol --deinit)");
        if (reason && (o_.module || o_.model)) throw Error(ErrorKind::system, *reason);
        print_source(reason);
    }

    void print_source(const std::optional<std::string>& why_no_driver) {
        if (why_no_driver) {
            say("profiling by perf_event_open, because the driver cannot be used: " + *why_no_driver);
        } else if (const auto driver = find_driver(paths_)) {
            say("using the driver, model " + driver->model + ", CPU type " + driver->cpu_type);
        }
    }

    void start_daemon() {
        if (!daemon_) print_source(bring_up_driver(paths_, {}));
        if (o_.has_settings()) change_settings(daemon_ ? EventUse::later : EventUse::now);
        if (daemon_) return say("the daemon is running already");
        const SettingsStore store(paths_.home, false);
        store.adopt_new();
        const DaemonSettings settings = store.load();
        if (settings.vmlinux.empty())
            throw_usage("the kernel image is not known; give --vmlinux=FILE, or --no-vmlinux to do without");
        try {
            launch(settings);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::system || !is_daemon_there()) throw;
            say("another opcontrol started the daemon meanwhile; it runs with the settings of that one");
        }
    }

    /// True if a daemon listens after all; one that another opcontrol starts at this moment is waited for.
    bool is_daemon_there() {
        constexpr int tries = 5, pause_ms = 100;
        for (int i = 0; i < tries; ++i) {
            daemon_ = ControlClient::connect(paths_.control);
            if (daemon_) return true;
            ::poll(nullptr, 0, pause_ms);
        }
        return false;
    }

    void launch(const DaemonSettings& settings) {
        // Another opcontrol may have changed the settings meanwhile.
        if (!choice_ || choice_->settings != settings)
            choice_ = choose_settings_events(settings, paths_, EventUse::now);
        const DaemonSource source = prepare_source(*choice_, paths_);
        const std::string session = session_dir_of(settings, paths_);
        const auto words = daemon_words(find_daemon(), settings, source, paths_, verbose_words());
        op::tool::start_daemon(words, session);
        daemon_ = ControlClient::connect(paths_.control);
        if (!daemon_) throw_input("the daemon has ended again" + log_hint(session));
        if (settings.events.empty()) name_default_event();
        write_stdout("Daemon started.\n");
    }

    /// The daemon knows which one it is.
    void name_default_event() {
        const ControlReply status = ask("status", quick);
        if (const auto event = status.find("event"))
            write_stdout("Using default event: " + std::string(*event) + "\n");
    }

    void start() {
        if (!daemon_ || o_.has_settings()) start_daemon();
        if (needs_nmi_watchdog_off(paths_) && switch_off_nmi_watchdog(paths_))
            say("the NMI watchdog, which occupies a counter, is off until --stop");
        const ControlReply reply = ask("start", slow);
        if (!reply.ok()) {
            tool_.attempt([this] { restore_nmi_watchdog(paths_); });
            throw_input("the daemon cannot start sampling: " + reply.error);
        }
        write_stdout("Profiler running.\n");
    }

    void dump() { ask_running("dump"); }

    void stop() {
        ask_running("stop");
        restore_watchdog();
        write_stdout("Profiler stopped.\n");
    }

    void shutdown() {
        if (daemon_) {
            if (!end_daemon(*daemon_))
                say("the daemon did not end within 15 seconds and was killed; what it had not stored is "
                    "lost");
            daemon_.reset();
            write_stdout("Daemon ended.\n");
        } else if (!o_.deinit) {
            say("the daemon is not running");
        }
        restore_watchdog();
    }

    void deinit() {
        shutdown();
        take_down_driver(paths_);
    }

    void reset() {
        if (daemon_) return ask_running("reset");
        const std::string dir = session_dir();
        if (!has_samples(dir)) return;
        mend_owners(dir);
        const ActAsOwner owner(dir);
        SessionWriter session(dir, false, tool_.notes);
        session.begin(true);
        session.reset();
    }

    void save() {
        check_session_name(*o_.save);
        if (!is_setting_value(*o_.save))
            throw_usage("--save " + printable(*o_.save) +
                        ": only the characters A-Z a-z 0-9 _ : . - can be used");
        if (daemon_) return ask_running("save " + *o_.save);
        const std::string dir = session_dir();
        if (!has_samples(dir)) throw_usage("there is no session to save below " + dir + "/samples");
        mend_owners(dir);
        const ActAsOwner owner(dir);
        SessionWriter session(dir, false, tool_.notes);
        session.begin(true);
        recover_account(session, tool_.notes);
        session.save_as(*o_.save);
    }

    void rotate() {
        if (daemon_) return ask_running("rotate");
        const std::string dir = session_dir();
        if (!has_samples(dir)) throw_usage("there is no session to rotate below " + dir + "/samples");
        mend_owners(dir);
        const ActAsOwner owner(dir);
        SessionWriter session(dir, false, tool_.notes);
        session.begin(true);
        if (collect::rotate_left_session(session, tool_.notes).empty()) say("the session has no samples");
    }

    void status() {
        const SettingsStore store(paths_.home, false);
        ControlStatus status;
        status.settings = daemon_ ? store.load_active() : store.load();
        status.has_waiting_settings = daemon_ && store.load() != status.settings;
        if (daemon_) status.daemon = ask("status", quick);
        status.driver = find_driver(paths_);
        status.timers = timers_text(paths_);
        status.session_dir = session_dir_of(status.settings, paths_);
        write_stdout(status_text(status));
    }

    void list_events() {
        const auto driver = find_driver(paths_);
        if (driver) return print_events(driver, collect::driver_catalogue(*driver), true);
        EventCatalogue catalogue = collect::running_catalogue();
        const bool has_counters = collect::has_hardware_counters();
        remove_unsampled(catalogue, has_counters);
        print_events(driver, catalogue, has_counters);
    }

    void print_events(const std::optional<collect::DriverModel>& driver, const EventCatalogue& catalogue,
                      bool has_counters) const {
        if (!o_.xml) return write_stdout(event_list_text(driver, catalogue, has_counters));
        const EventCatalogue shown = sampled_events(driver, catalogue, has_counters);
        write_stdout(listing_xml(shown, all_events(shown), 1));
    }

    void set_timers() { op::tool::set_timers(paths_, parse_timer_switches(o_.timers), o_.timer_period); }

    void ask_running(const std::string& request) {
        if (!daemon_) throw_usage("the daemon is not running; start it with opcontrol --start");
        const ControlReply reply = ask(request, slow);
        if (!reply.ok()) throw_input("the daemon refuses: " + reply.error);
    }

    /// The daemon's answer. Throws a system error with the remedy if it does not answer.
    ControlReply ask(const std::string& request, seconds limit) {
        try {
            return daemon_->ask(request, limit);
        } catch (const Error& error) {
            if (error.code() != ETIMEDOUT) throw;
            throw Error(ErrorKind::system,
                        "the daemon" + process_text() + " did not answer within " +
                            std::to_string(limit.count()) +
                            " seconds; if its disk is slow, wait and try again, else end it with opcontrol "
                            "--shutdown, which kills it if need be",
                        ETIMEDOUT);
        }
    }

    std::string process_text() const {
        return daemon_->server() > 0 ? ", process " + std::to_string(daemon_->server()) + "," : "";
    }

    void restore_watchdog() {
        if (restore_nmi_watchdog(paths_)) say("the NMI watchdog is on again");
    }

    std::string session_dir() const {
        return session_dir_of(SettingsStore(paths_.home, false).load(), paths_);
    }

    /// Of the daemon's session, what root made in it becomes the daemon's.
    static void mend_owners(const std::string& session_dir) {
        struct stat st {};
        const auto user = collect::find_user(collect::daemon_user);
        if (::geteuid() == 0 && user && ::stat(session_dir.c_str(), &st) == 0 && st.st_uid == user->uid)
            collect::hand_over_session(session_dir, *user);
    }

    static bool has_samples(const std::string& session_dir) {
        struct stat st {};
        return ::lstat((session_dir + "/samples/" + current_session).c_str(), &st) == 0;
    }

    std::string verbose_words() const {
        return o_.is_verbose && o_.verbose.empty() ? "all" : joined(o_.verbose, ",");
    }

    void say(const std::string& text) const { write_stderr(tool_.name + ": " + printable(text) + "\n"); }

    struct Action {
        ControlAction action;
        void (Control::*function)();
    };
    static const Action actions[];

    Tool& tool_;
    const ControlOptions& o_;
    ControlPaths paths_;
    std::optional<EventChoice> choice_;  ///< of settings that this run changed
    std::optional<ControlClient> daemon_;
};

const Control::Action Control::actions[] = {
    {ControlAction::none, &Control::setup},
    {ControlAction::init, &Control::init},
    {ControlAction::status, &Control::status},
    {ControlAction::start_daemon, &Control::start_daemon},
    {ControlAction::start, &Control::start},
    {ControlAction::dump, &Control::dump},
    {ControlAction::stop, &Control::stop},
    {ControlAction::shutdown, &Control::shutdown},
    {ControlAction::reset, &Control::reset},
    {ControlAction::save, &Control::save},
    {ControlAction::rotate, &Control::rotate},
    {ControlAction::deinit, &Control::deinit},
    {ControlAction::list_events, &Control::list_events},
    {ControlAction::set_timers, &Control::set_timers},
};

void Control::run(ControlAction action) {
    if (action != ControlAction::list_events) daemon_ = ControlClient::connect(paths_.control);
    for (const auto& [wanted, function] : actions)
        if (wanted == action) (this->*function)();
}

/// The tree of --root-dir, or "" for the machine's own.
std::string root_of(const ControlOptions& o) {
    if (!o.root_dir) return "";
    if (o.root_dir->empty()) throw_usage("--root-dir: no directory is given");
    const std::string root = absolute_path(*o.root_dir);
    return root == "/" ? "" : root;
}

void require_root(const ControlOptions& o, ControlAction action) {
    if (o.root_dir || action == ControlAction::list_events || ::geteuid() == 0) return;
    throw_usage("only root can do that; operf profiles without root");
}

int opcontrol(Tool& tool, int argc, char** argv) {
    if (::getauxval(AT_SECURE)) throw_usage("opcontrol does not run set-user-ID");
    ControlOptions options;
    const ParsedOptions parsed = parse_options(argc, argv, control_syntax(options));
    if (parsed.exit_status) return *parsed.exit_status;
    if (!parsed.words.empty()) throw_usage("'" + printable(parsed.words[0]) + "' is no option; see --help");
    const ControlAction action = chosen_action(options);
    require_root(options, action);
    ::umask(022);
    Control(tool, options, control_paths(root_of(options))).run(action);
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::opcontrol);
}
