// SPDX-License-Identifier: GPL-2.0-or-later
// A thread with a queue of questions.
#include "gui/daemon_watch.h"

#include <QMetaObject>
#include <chrono>
#include <cstdio>
#include <utility>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/control/control.h"

namespace op::gui {
namespace {

constexpr std::chrono::milliseconds patience{2000};
constexpr std::chrono::milliseconds patience_to_write{10000};

uint64_t number_of(const ControlReply& reply, std::string_view key) {
    return parse_number(reply.find(key).value_or("")).value_or(0);
}

DaemonState::Run run_of(std::string_view word) {
    using Run = DaemonState::Run;
    return word == "sampling" ? Run::sampling : word == "failed" ? Run::failed : Run::stopped;
}

DaemonState state_of(const ControlReply& reply) {
    DaemonState state;
    state.run = run_of(reply.find("state").value_or(""));
    state.fault = reply.find("failure").value_or("");
    state.session_dir = reply.find("session-dir").value_or("");
    state.uptime_seconds = number_of(reply, "uptime");
    state.sampled = number_of(reply, "sampled");
    state.lost = number_of(reply, "lost");
    if (reply.ok()) return state;
    state.run = DaemonState::Run::unknown;
    state.fault = reply.error;
    return state;
}

std::string uptime_text(uint64_t seconds) {
    char text[48];
    std::snprintf(text, sizeof text, "%02llu:%02llu:%02llu", static_cast<unsigned long long>(seconds / 3600),
                  static_cast<unsigned long long>(seconds / 60 % 60),
                  static_cast<unsigned long long>(seconds % 60));
    return text;
}

std::string samples_text(const DaemonState& state, double rate) {
    char text[128];
    std::snprintf(text, sizeof text, ", %llu samples, %.0f a second",
                  static_cast<unsigned long long>(state.sampled), rate);
    if (state.lost == 0) return text;
    char lost[96];
    std::snprintf(lost, sizeof lost, "; LOST: %llu (%.2f %%)", static_cast<unsigned long long>(state.lost),
                  100.0 * static_cast<double>(state.lost) / static_cast<double>(state.sampled));
    return std::string(text) + lost;
}

}  // namespace

std::string state_line(const DaemonState& state, double rate) {
    switch (state.run) {
        case DaemonState::Run::away:
            return "Profiler is not running.";
        case DaemonState::Run::unknown:
            return "The daemon does not answer: " + state.fault;
        case DaemonState::Run::failed:
            return "The daemon has failed: " + state.fault;
        case DaemonState::Run::stopped:
            return "Profiler is paused" + samples_text(state, rate);
        case DaemonState::Run::sampling:
            return "Profiler running " + uptime_text(state.uptime_seconds) + samples_text(state, rate);
    }
    return {};
}

DaemonState ask_daemon(const std::string& path) {
    DaemonState state;
    try {
        if (auto daemon = ControlClient::connect(path, patience))
            state = state_of(daemon->ask("status", patience));
    } catch (const Error& error) {
        state.run = DaemonState::Run::unknown;
        state.fault = error.what();
    }
    return state;
}

std::string flush_daemon(const std::string& path) {
    try {
        auto daemon = ControlClient::connect(path, patience);
        return daemon ? daemon->ask("dump", patience_to_write).error : "the daemon is not running";
    } catch (const Error& error) {
        return error.what();
    }
}

DaemonWatch::DaemonWatch(std::string path, Take take) : path_(std::move(path)), take_(std::move(take)) {
    there_.moveToThread(&thread_);
    thread_.start();
}

DaemonWatch::~DaemonWatch() {
    thread_.quit();
    thread_.wait();
}

void DaemonWatch::give(const DaemonState& state) {
    QMetaObject::invokeMethod(&here_, [this, state] {
        is_asking_ = false;
        take_(state);
    });
}

void DaemonWatch::ask() {
    if (std::exchange(is_asking_, true)) return;
    QMetaObject::invokeMethod(&there_, [this] { give(ask_daemon(path_)); });
}

void DaemonWatch::flush(std::function<void(const std::string&)> take_fault) {
    QMetaObject::invokeMethod(&there_, [this, take_fault = std::move(take_fault)] {
        const std::string fault = flush_daemon(path_);
        QMetaObject::invokeMethod(&here_, [take_fault, fault] { take_fault(fault); });
        give(ask_daemon(path_));
    });
}

}  // namespace op::gui
