// SPDX-License-Identifier: GPL-2.0-or-later
// opcontrol's parts: options, settings and their store, the daemon's words, the watchdog, the module's file.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "tests/unit/faults.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/temp_dir.h"
#include "utils/opcontrol/control_daemon.h"
#include "utils/opcontrol/control_options.h"
#include "utils/opcontrol/control_paths.h"
#include "utils/opcontrol/control_status.h"
#include "utils/opcontrol/driver_module.h"
#include "utils/opcontrol/event_list.h"
#include "utils/opcontrol/nmi_watchdog.h"
#include "utils/opcontrol/settings_store.h"

namespace op::tool {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

ControlOptions options_of(Words words) {
    ControlOptions options;
    words.insert(words.begin(), "opcontrol");
    std::vector<char*> argv;
    for (auto& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    EXPECT_FALSE(
        parse_options(static_cast<int>(words.size()), argv.data(), control_syntax(options)).exit_status);
    return options;
}

ControlAction action_of(const Words& words) {
    return chosen_action(options_of(words));
}

DaemonSettings settings_of(const Words& words, DaemonSettings settings = {}) {
    apply_settings(options_of(words), settings);
    return settings;
}

/// A machine's tree with what opcontrol looks at.
struct Tree {
    test::TempDir dir;
    ControlPaths paths = control_paths(dir.path());

    Tree() {
        for (const char* name : {"root", "run", "proc/sys/kernel"})
            fs::create_directories(dir / name);
    }
    std::string file(const std::string& path) const { return read_file(dir / path); }
};

}  // namespace

TEST(ControlOptions, name_one_action) {
    EXPECT_EQ(action_of({"--start"}), ControlAction::start);
    EXPECT_EQ(action_of({"-t"}), ControlAction::stop);
    EXPECT_EQ(action_of({"-h"}), ControlAction::shutdown);
    EXPECT_EQ(action_of({"--init", "--model=intel"}), ControlAction::init);
    EXPECT_EQ(action_of({"--save=x"}), ControlAction::save);
    EXPECT_EQ(action_of({"--no-vmlinux"}), ControlAction::none);
    EXPECT_EQ(action_of({"--setup", "--no-vmlinux"}), ControlAction::none);
    EXPECT_EQ(action_of({"--start", "--no-vmlinux", "--verbose"}), ControlAction::start);
    EXPECT_EQ(action_of({"--start-daemon", "-e", "TIMER:1000000", "-V"}), ControlAction::start_daemon);
}

TEST(ControlOptions, contradicting_options_are_refused) {
    for (const Words& words :
         {Words{}, Words{"--setup"}, Words{"--start", "--stop"}, Words{"--save=x", "--reset"},
          Words{"--dump", "--no-vmlinux"}, Words{"--setup", "--start", "--no-vmlinux"}, Words{"--verbose"},
          Words{"--stop", "-V"}, Words{"--start", "--verbose=bogus"}, Words{"--start", "--module=x.ko"},
          Words{"--start", "--model=intel"}, Words{"--init", "--model=ia64"}, Words{"--init", "--model="},
          Words{"--init", "--model=intel timer=1"}})
        EXPECT_THROW(action_of(words), Error) << testing::PrintToString(words);
}

TEST(ControlOptions, verbose_may_have_a_list) {
    EXPECT_TRUE(options_of({"--start", "--verbose"}).verbose.empty());
    EXPECT_EQ(options_of({"--start", "--verbose=arcs,misc"}).verbose, (Words{"arcs", "misc"}));
    EXPECT_TRUE(options_of({"-V", "--start"}).start);
}

TEST(ControlSettings, the_first_event_forgets_those_of_before) {
    DaemonSettings before;
    before.events = {"TIMER:500000"};
    EXPECT_EQ(settings_of({"-e", "r1c2:100000", "-e", "CPU_CLK_UNHALTED:100000"}, before).events,
              (Words{"r1c2:100000", "CPU_CLK_UNHALTED:100000"}));
    EXPECT_EQ(settings_of({"--no-vmlinux"}, before).events, before.events);
    EXPECT_EQ(settings_of({"--event=default"}, before).events, Words{});
    for (const char* bad : {"TIMER:0", "TIMER:1x", "TIMER:1000:$(id)"})
        EXPECT_THROW(settings_of({"-e", bad}), Error) << bad;
    EXPECT_THROW(settings_of({"-e", "default", "-e", "TIMER:100000"}), Error);
}

TEST(ControlSettings, a_new_separation_replaces_the_old_one) {
    DaemonSettings before;
    before.separation.cpu = true;
    EXPECT_EQ(settings_of({"-p", "kernel,thread"}, before).separation, (Separation{true, true, true, false}));
    EXPECT_EQ(settings_of({"--separate=lib"}).separation, (Separation{true, false, false, false}));
    EXPECT_EQ(settings_of({"--separate=none"}, before).separation, Separation{});
    EXPECT_EQ(settings_of({"--separate=all"}).separation, (Separation{true, true, true, true}));
    EXPECT_THROW(settings_of({"--separate=libs"}), Error);
}

TEST(ControlSettings, values_hold_harmless_characters_only) {
    for (const char* option : {"--image", "--session-dir"})
        for (const char* value : {"/tmp/a b", "/tmp/$HOME", "/tmp/`id`", "/tmp/a;b", "/tmp/a\nVMLINUX=x"})
            EXPECT_THROW(settings_of({std::string(option) + "=" + value}), Error) << value;
    EXPECT_EQ(settings_of({"--image=/bin/ls,/bin/cat"}).image_filter, "/bin/ls,/bin/cat");
    EXPECT_EQ(settings_of({"--image=all"}).image_filter, "");
}

TEST(ControlSettings, paths_become_absolute) {
    EXPECT_EQ(settings_of({"--session-dir=sub/../x"}).session_dir, fs::current_path().string() + "/x");
    EXPECT_EQ(settings_of({"--session-dir="}).session_dir, "");
    EXPECT_EQ(settings_of({"--image=./srv,/bin/ls"}).image_filter,
              fs::current_path().string() + "/srv,/bin/ls");
}

TEST(ControlSettings, the_kernel_image_must_be_one) {
    const test::TempDir dir;
    const std::string image = test::fixture("root/boot/vmlinux");
    const std::string other = dir.write("vmlinuz", "MZ......");
    EXPECT_EQ(settings_of({"--vmlinux=" + image}).vmlinux, fs::canonical(image).string());
    EXPECT_THROW(settings_of({"--vmlinux=/proc/self/exe"}), Error) << "a program is an ELF file, too";
    EXPECT_EQ(settings_of({"--no-vmlinux"}).vmlinux, vmlinux_none);
    EXPECT_EQ(settings_of({"--vmlinux=none"}).vmlinux, vmlinux_none);
    EXPECT_THROW(settings_of({"--vmlinux=" + other}), Error);
    EXPECT_THROW(settings_of({"--vmlinux=" + (dir / "missing")}), Error);
    EXPECT_THROW(settings_of({"--vmlinux=" + image, "--no-vmlinux"}), Error);
}

TEST(ControlSettings, numbers_have_bounds) {
    EXPECT_EQ(settings_of({"--callgraph=0x40"}).callgraph, 64u);
    EXPECT_THROW(settings_of({"--callgraph=1025"}), Error);
    EXPECT_EQ(settings_of({"--buffer-size=65536", "--buffer-watershed=65535"}).buffer_watershed, 65535u);
    EXPECT_THROW(settings_of({"--buffer-size=65536", "--buffer-watershed=65536"}), Error);
    EXPECT_THROW(settings_of({"--pid-filter=4294967296"}), Error);
    EXPECT_THROW(settings_of({"--pgrp-filter=all"}), Error);
    EXPECT_EQ(settings_of({"--kernel-range=c0100000,0xc0200000"}).kernel_range, "c0100000,0xc0200000");
    for (const char* bad : {"1", "2,1", "1,2,3", "x,y", ","})
        EXPECT_THROW(settings_of({std::string("--kernel-range=") + bad}), Error) << bad;
}

TEST(SettingsStore, keeps_what_was_saved) {
    const Tree tree;
    EXPECT_EQ(SettingsStore(tree.paths.home, false).load(), DaemonSettings{});
    const SettingsStore store(tree.paths.home, true);
    DaemonSettings settings;
    settings.vmlinux = vmlinux_none;
    store.save(settings, false);
    EXPECT_EQ(SettingsStore(tree.paths.home, false).load(), settings);
    EXPECT_NE(tree.file("root/.oprofile/daemonrc").find("VMLINUX=none\n"), std::string::npos);
}

TEST(SettingsStore, settings_made_while_the_daemon_runs_wait) {
    const Tree tree;
    const SettingsStore store(tree.paths.home, true);
    DaemonSettings before, after;
    before.callgraph = 1;
    after.callgraph = 2;
    store.save(before, false);
    store.save(after, true);
    EXPECT_EQ(store.load_active(), before);
    EXPECT_EQ(store.load(), after);
    store.adopt_new();
    EXPECT_EQ(store.load_active(), after);
    EXPECT_FALSE(fs::exists(tree.dir / "root/.oprofile/daemonrc_new"));
    store.adopt_new();
    EXPECT_EQ(store.load(), after);
}

TEST(SettingsStore, saving_without_a_daemon_leaves_nothing_waiting) {
    const Tree tree;
    const SettingsStore store(tree.paths.home, true);
    DaemonSettings waiting, now;
    waiting.callgraph = 1;
    store.save(waiting, true);
    store.save(now, false);
    EXPECT_EQ(store.load(), now);
}

TEST(SettingsStore, follows_no_link) {
    const Tree tree;
    const std::string victim = tree.dir.write("victim/daemonrc", "VMLINUX=/victim\n");
    fs::create_symlink(tree.dir / "victim", tree.dir / "root/.oprofile");
    EXPECT_THROW(SettingsStore(tree.paths.home, true), Error);
    fs::remove(tree.dir / "root/.oprofile");
    const SettingsStore store(tree.paths.home, true);
    fs::create_symlink(victim, tree.dir / "root/.oprofile/daemonrc");
    EXPECT_TRUE(
        test::contains(test::fault(ErrorKind::input, [&] { store.load(); }), "daemonrc is a symbolic link"));
    store.save({}, false);  // replaces the link, not what it points to
    EXPECT_EQ(tree.file("victim/daemonrc"), "VMLINUX=/victim\n");
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(tree.dir / "root/.oprofile/daemonrc")));
}

TEST(SettingsStore, trusts_no_directory_others_may_write_to) {
    const Tree tree;
    fs::create_directory(tree.dir / "root/.oprofile");
    ASSERT_EQ(::chmod((tree.dir / "root/.oprofile").c_str(), 0777), 0);
    EXPECT_THROW(SettingsStore(tree.paths.home, true), Error);
    ASSERT_EQ(::chmod((tree.dir / "root/.oprofile").c_str(), 0755), 0);
    ASSERT_EQ(::chmod((tree.dir / "root").c_str(), 0775), 0);
    EXPECT_THROW(SettingsStore(tree.paths.home, false), Error);
}

TEST(SettingsStore, trusts_no_file_others_may_write_to) {
    const Tree tree;
    const SettingsStore store(tree.paths.home, true);
    DaemonSettings settings;
    settings.callgraph = 3;
    store.save(settings, false);
    const std::string file = tree.dir / "root/.oprofile/daemonrc";
    ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
    EXPECT_TRUE(
        test::contains(test::fault(ErrorKind::input, [&] { store.load(); }), "can be written by others"));
    ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
    EXPECT_EQ(store.load(), settings);
    if (::geteuid() != 0) return;
    ASSERT_EQ(::chown(file.c_str(), 4711, 0), 0);
    EXPECT_TRUE(test::contains(test::fault(ErrorKind::input, [&] { store.load(); }), "belongs to user 4711"));
}

TEST(NmiWatchdog, is_switched_off_and_restored_once) {
    const Tree tree;
    const std::string knob = tree.dir.write("proc/sys/kernel/nmi_watchdog", "1\n");
    EXPECT_TRUE(switch_off_nmi_watchdog(tree.paths));
    EXPECT_EQ(read_file(knob), "0\n");
    struct stat st {};
    ASSERT_EQ(::stat(tree.paths.run.c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 0022, 0u);
    EXPECT_FALSE(switch_off_nmi_watchdog(tree.paths));
    EXPECT_TRUE(restore_nmi_watchdog(tree.paths));
    EXPECT_EQ(read_file(knob), "1\n");
    EXPECT_FALSE(restore_nmi_watchdog(tree.paths));
}

TEST(NmiWatchdog, stays_off_if_it_was_off) {
    const Tree tree;
    const std::string knob = tree.dir.write("proc/sys/kernel/nmi_watchdog", "0\n");
    EXPECT_FALSE(switch_off_nmi_watchdog(tree.paths));
    EXPECT_FALSE(restore_nmi_watchdog(tree.paths));
    EXPECT_EQ(read_file(knob), "0\n");
    fs::remove(knob);
    EXPECT_FALSE(switch_off_nmi_watchdog(tree.paths));
}

TEST(DriverModule, is_looked_for_where_updates_come_first) {
    const test::TempDir dir;
    EXPECT_FALSE(find_driver_module(dir.path()));
    const std::string in_tree = dir.write("kernel/drivers/oprofile/oprofile.ko.xz", "x");
    dir.write("kernel/drivers/other/oprofile.ko.bak", "x");
    EXPECT_EQ(find_driver_module(dir.path()), in_tree);
    const std::string extra = dir.write("extra/oprofile.ko", "x");
    EXPECT_EQ(find_driver_module(dir.path()), extra);
    const std::string dkms = dir.write("updates/dkms/oprofile.ko.zst", "x");
    EXPECT_EQ(find_driver_module(dir.path()), dkms);
}

TEST(DriverModule, is_known_by_its_first_bytes) {
    const std::string elf("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0", 16);
    EXPECT_EQ(module_file_kind(elf + std::string("\1\0", 2)), ModuleFile::plain);
    EXPECT_EQ(module_file_kind(elf + std::string("\2\0", 2)), ModuleFile::none);
    EXPECT_EQ(module_file_kind(elf), ModuleFile::none);
    for (const char* packed : {"\x1f\x8b\x08",
                               "\xfd"
                               "7zXZ",
                               "\x28\xb5\x2f\xfd"})
        EXPECT_EQ(module_file_kind(packed), ModuleFile::compressed);
    for (const char* other : {"", "#!/bin/sh\n", "text"})
        EXPECT_EQ(module_file_kind(other), ModuleFile::none) << other;
}

TEST(DriverModule, the_kernel_has_the_file_system_if_a_line_names_it) {
    constexpr std::string_view text = "nodev\tproc\nnodev\toprofilefs\n\text4\n";
    EXPECT_TRUE(has_file_system(text, "oprofilefs"));
    EXPECT_TRUE(has_file_system(text, "ext4"));
    for (const std::string_view other : {"oprofile", "profilefs", "nodev", "tproc"})
        EXPECT_FALSE(has_file_system(text, other)) << other;
    EXPECT_FALSE(has_file_system("", "ext4"));
}

TEST(DriverModule, a_test_tree_does_not_touch_the_kernel) {
    const Tree tree;
    EXPECT_TRUE(bring_up_driver(tree.paths, {}));
    take_down_driver(tree.paths);
    EXPECT_FALSE(fs::exists(tree.dir / "dev/oprofile"));
}

TEST(DriverModule, a_loaded_driver_of_another_model_is_no_success) {
    const Tree tree;
    for (const auto& [name, content] :
         {std::pair{"stream_version", "1\n"}, {"model", "timer"}, {"enable", "0\n"}})
        tree.dir.write("dev/oprofile/" + std::string(name), content);
    EXPECT_FALSE(bring_up_driver(tree.paths, {}));
    EXPECT_FALSE(bring_up_driver(tree.paths, {"", "timer"}));
    const auto reason = bring_up_driver(tree.paths, {"", "intel"});
    ASSERT_TRUE(reason);
    EXPECT_TRUE(test::contains(*reason, "loaded with the model timer")) << *reason;
}

TEST(DriverModule, every_refusal_has_a_remedy) {
    for (const int error : {EPERM, ENOKEY, EKEYREJECTED, ENOSYS, ENOEXEC, ENOENT, ENODEV, EBUSY, EIO})
        EXPECT_NE(load_refusal(error), "") << error;
}

TEST(DaemonWords, contain_every_setting) {
    const ControlPaths paths = control_paths("/t");
    DaemonSettings settings;
    settings.vmlinux = vmlinux_none;
    const DaemonSource perf{"perf", "TIMER:1000000", {}};
    EXPECT_EQ(daemon_words("/x/oprofiled", settings, perf, paths, ""),
              (Words{"/x/oprofiled", "--source=perf", "--separate=none", "--session-dir=/t/var/lib/oprofile",
                     "--control=/t/run/oprofiled/control", "--events=TIMER:1000000", "--no-vmlinux"}));
    settings.vmlinux = "/boot/vmlinux";
    settings.session_dir = "/s";
    settings.kernel_range = "1,2";
    settings.image_filter = "/bin/ls";
    settings.callgraph = 4;
    settings.separation.cpu = true;
    EXPECT_EQ(
        daemon_words("oprofiled", settings, {"driver", {}, {"--oprofilefs=/t/dev/oprofile"}}, paths,
                     "arcs,misc"),
        (Words{"oprofiled", "--source=driver", "--separate=cpu", "--session-dir=/s",
               "--control=/t/run/oprofiled/control", "--vmlinux=/boot/vmlinux", "--kernel-range=1,2",
               "--image=/bin/ls", "--callgraph=4", "--verbose=arcs,misc", "--oprofilefs=/t/dev/oprofile"}));
    settings.callgraph_files = 1;
    const auto has_files = [&] {
        const Words words = daemon_words("oprofiled", settings, perf, paths, "");
        return std::ranges::find(words, "--callgraph-files") != words.end();
    };
    EXPECT_TRUE(has_files());
    settings.callgraph = 0;
    EXPECT_FALSE(has_files()) << "there are no callers";
}

TEST(ControlStatus, shows_daemon_and_settings) {
    ControlStatus status;
    status.session_dir = "/s";
    EXPECT_TRUE(status_text(status).starts_with("Daemon not running\nDriver: not loaded"));
    status.daemon = ControlReply{"",
                                 {{"state", "stopped"},
                                  {"pid", "17"},
                                  {"uptime", "3723"},
                                  {"cpu-type", "timer\x1b"},
                                  {"event", "TIMER:1000000:0:1:1"},
                                  {"session-dir", "/s"},
                                  {"lost-no-mapping", "3"}}};
    status.driver = collect::DriverModel{"timer", "timer", {{0, 10000, false}}};
    status.has_waiting_settings = true;
    const std::string text = status_text(status);
    EXPECT_TRUE(
        text.starts_with("Daemon paused: pid 17\nUptime: 1 h 2 min 3 s\nCPU type: timer?\n"
                         "Event 0: TIMER:1000000:0:1:1\nLost no mapping: 3\n"
                         "Driver: model timer, CPU type timer, counters 1\nSession-dir: /s\n"
                         "Separate options: none\n"))
        << text;
    EXPECT_TRUE(text.ends_with("Changed settings wait for --shutdown and --start.\n"));
}

TEST(EventList, has_counters_and_unit_masks) {
    const std::string dir = test::fixture("events/small");
    const EventCatalogue toy = load_catalogue(*load_cpu_models(dir).find("i386/toy"), {dir, {}, false, ""});
    const std::vector<std::optional<collect::DriverModel>> drivers{
        std::nullopt, collect::DriverModel{"intel", "i386/toy", {}}};
    for (const auto& driver : drivers) {
        const std::string text = event_list_text(driver, toy, true);
        EXPECT_TRUE(test::contains(text, "CACHE_READS: (counter: 1)\n")) << text;
        EXPECT_TRUE(test::contains(text, "\t0x01: Hits of the first level\n")) << text;
    }
}

TEST(EventList, has_raw_codes_only_where_the_processor_has_codes) {
    const std::string dir = test::fixture("events/small");
    EventCatalogue files = load_catalogue(*load_cpu_models(dir).find("i386/toy"), {dir, {}, false, ""});
    const collect::DriverModel perf{"perf", "perf", {}};
    EXPECT_TRUE(test::contains(event_list_text(perf, files, true), "rNNN: "));
    files.model.name = "i386/p4";
    EXPECT_FALSE(test::contains(event_list_text(perf, files, true), "rNNN: "));
}

TEST(EventList, lacks_what_cannot_be_sampled) {
    const test::TempDir dir;
    dir.write("x/events",
              "event:0x1 counters:0 um:zero minimum:1 name:COUNTED : C\n"
              "event:0x2 ext:ibs_op um:zero minimum:1 name:SAMPLED : S\n");
    dir.write("x/unit_masks", "name:zero type:mandatory default:0x0\n\t0x0 None\n");
    for (const char* const pmu : {"beside", "cpu", "msr"}) {
        dir.write("devices/" + std::string(pmu) + "/type", "9\n");
        dir.write("devices/" + std::string(pmu) + "/events/of-" + pmu, "config=0x1\n");
    }
    dir.write("devices/beside/cpumask", "0\n");
    CpuModel model;
    model.name = "x";
    model.counters = 1;
    const auto sampled = [&](bool has_counters) {
        EventCatalogue catalogue = load_catalogue(model, {dir.path(), {}, false, dir / "devices"});
        remove_unsampled(catalogue, has_counters);
        auto names = catalogue.names();
        names.resize(std::min<size_t>(names.size(), 3));
        return names;
    };
    EXPECT_EQ(sampled(true), (std::vector<std::string>{"COUNTED", "of-cpu", "cpu-clock"}));
    EXPECT_EQ(sampled(false).front(), "of-cpu");
    dir.write("devices/ibs_op/type", "11\n");
    EXPECT_EQ(sampled(true)[1], "SAMPLED");
    model.not_counted = "it is too old";
    EXPECT_EQ(sampled(true).front(), "of-cpu");
}

TEST(EventList, is_that_of_the_source) {
    EXPECT_NE(event_list_text(std::nullopt, {}, true).find("TIMER: "), std::string::npos);
    const CpuModel& without_counters = *builtin_cpu_models().find("timer");
    const std::string one = event_list_text(
        std::nullopt, load_catalogue(without_counters, {"/nonexistent", {}, false, ""}), false);
    EXPECT_FALSE(test::contains(one, "CPU_CLK_UNHALTED"));
    EXPECT_EQ(one.find("TIMER: "), one.rfind("TIMER: "));
    const collect::DriverModel timer{"timer", "timer", {{0, 10000, false}}};
    EXPECT_NE(event_list_text(timer, {}, true).find("(min count: 10000)\n"), std::string::npos);
    EXPECT_TRUE(event_list_text({{"rtc", "rtc", {}}}, {}, true).starts_with("RTC_INTERRUPTS: "));
    EXPECT_NE(event_list_text({{"intel", "i386/arch_perfmon", {}}}, {}, true).find("rNNN: "),
              std::string::npos);
}

}  // namespace op::tool
