// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/control/daemon_settings.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"
#include "libop/base/fd.h"

namespace op {

namespace {

DaemonSettings parse(std::string_view text) {
    return parse_daemon_settings(as_bytes(text), "daemonrc");
}

const std::string remedy = "; fix the line or delete the file";

std::string fault(std::string_view text) {
    try {
        parse(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
    }
    return "";
}

}  // namespace

TEST(DaemonSettings, a_classic_file_is_understood) {
    const DaemonSettings s = parse(
        "# by hand\n\nCHOSEN_EVENTS_0=CPU_CLK_UNHALTED:100000:0:1:1\nCHOSEN_EVENTS_1=TIMER:1000000\n"
        "NR_CHOSEN=2\nSESSION_DIR=/var/lib/oprofile\nSEPARATE_LIB=1\nSEPARATE_KERNEL=0\nSEPARATE_THREAD=0\n"
        "SEPARATE_CPU=1\nVMLINUX=none\nIMAGE_FILTER=/bin/ls,/bin/cat\nCPU_BUF_SIZE=0x100\nCALLGRAPH=010\n"
        "KERNEL_RANGE=c0100000,c0200000\nBUF_SIZE=\nXENIMAGE=none");
    EXPECT_EQ(s.events, (std::vector<std::string>{"CPU_CLK_UNHALTED:100000:0:1:1", "TIMER:1000000"}));
    EXPECT_EQ(s.separation, (Separation{true, false, false, true}));
    EXPECT_EQ(s.session_dir, "/var/lib/oprofile");
    EXPECT_EQ(s.vmlinux, vmlinux_none);
    EXPECT_EQ(s.image_filter, "/bin/ls,/bin/cat");
    EXPECT_EQ(s.cpu_buffer_size, 256u);
    EXPECT_EQ(s.callgraph, 8u);
    EXPECT_EQ(s.buffer_size, 0u);
    EXPECT_EQ(s.kernel_range, "c0100000,c0200000");
    EXPECT_EQ(s.others, (std::map<std::string, std::string>{{"XENIMAGE", "none"}}));
}

TEST(DaemonSettings, written_settings_are_read_back) {
    DaemonSettings s;
    s.events = {"TIMER:200000:0:1:0", "r1c2:100000"};
    s.separation = {true, true, false, true};
    s.session_dir = "/data/session-1";
    s.vmlinux = "/boot/vmlinux";
    s.image_filter = "/usr/bin/perl";
    s.kernel_range = "1000,2000";
    s.callgraph = 5;
    s.buffer_size = 1 << 20;
    s.buffer_watershed = 1 << 18;
    s.cpu_buffer_size = 4096;
    s.pid_filter = 17;
    s.pgrp_filter = 18;
    s.others["NOTE_SIZE"] = "16384";
    EXPECT_EQ(parse(to_text(s)), s);
    EXPECT_EQ(parse(to_text(DaemonSettings{})), DaemonSettings{});
}

TEST(DaemonSettings, no_value_can_mean_anything_to_a_shell) {
    for (const char* value : {"$(id)", "`id`", "a b", "a;b", "\"a\"", "a'b", "a\\b", "a|b", "a&b", "a=b",
                              "\x01", "\xc3\xa4", "a*b", "~", "a\r"}) {
        EXPECT_FALSE(is_setting_value(value)) << value;
        EXPECT_TRUE(fault(std::string("VMLINUX=") + value).starts_with("daemonrc:1: the value holds"))
            << value;
        EXPECT_FALSE(fault(std::string("UNKNOWN=") + value).empty()) << value;
        DaemonSettings s;
        s.image_filter = value;
        EXPECT_THROW(to_text(s), Error) << value;
    }
    EXPECT_FALSE(is_setting_value(std::string(4097, 'a')));
    EXPECT_TRUE(is_setting_value("azAZ09_:,./@-"));
}

TEST(DaemonSettings, a_fault_names_its_line) {
    EXPECT_EQ(fault("NR_CHOSEN=0\nno line"), "daemonrc:2: not a line KEY=value" + remedy);
    EXPECT_EQ(fault("lower=1"), "daemonrc:1: not a line KEY=value" + remedy);
    EXPECT_EQ(fault("=1"), "daemonrc:1: not a line KEY=value" + remedy);
    EXPECT_EQ(fault("CALLGRAPH=deep"), "daemonrc:1: not a number: deep" + remedy);
    EXPECT_EQ(fault("BUF_SIZE=99999999999999999999"), "daemonrc:1: too large: 99999999999999999999" + remedy);
}

TEST(DaemonSettings, the_number_of_events_must_match_the_events) {
    EXPECT_EQ(fault("NR_CHOSEN=1"), "daemonrc:1: CHOSEN_EVENTS_0 is missing" + remedy);
    EXPECT_EQ(fault("CHOSEN_EVENTS_1=A:1\n"), "daemonrc:1: CHOSEN_EVENTS_0 is missing" + remedy);
    EXPECT_EQ(fault("NR_CHOSEN=18446744073709551615"), "daemonrc:1: more than 24 events" + remedy);
    EXPECT_EQ(fault("CHOSEN_EVENTS_24=A:1"), "daemonrc:1: no such event number: 24" + remedy);
    EXPECT_EQ(fault("CHOSEN_EVENTS_=A:1"), "daemonrc:1: no such event number: " + remedy);
    EXPECT_EQ(parse("CHOSEN_EVENTS_0=A:1\nCHOSEN_EVENTS_1=B:1\nNR_CHOSEN=1").events,
              std::vector<std::string>{"A:1"});
}

TEST(DaemonSettings, kernel_separation_implies_library) {
    EXPECT_EQ(parse("SEPARATE_KERNEL=1").separation, (Separation{true, true, false, false}));
}

TEST(Separation, has_the_words_of_the_command_line) {
    EXPECT_EQ(to_text(Separation{}), "none");
    EXPECT_EQ(to_text(Separation{true, true, true, true}), "library,kernel,thread,cpu");
}

}  // namespace op
