// SPDX-License-Identifier: GPL-2.0-or-later
// What reads foreign binaries is in the sandbox; what has the network, the secrets and the directory is a
// helper that was started before.
#include "utils/standard_road.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <set>

#include "fleet/otlp.h"
#include "fleet/split_profile.h"
#include "libop/base/counted.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/gzip.h"
#include "libop/base/text.h"
#include "libop/session/rotated_sessions.h"
#include "libop/session/session.h"
#include "libpp/export/exporter.h"
#include "utils/load_profile.h"
#include "utils/outside.h"
#include "utils/shared/helper.h"

namespace op::tool {
namespace {

using fleet::Road;
using fleet::RoadPart;
using Verdict = fleet::RoadOutcome::Verdict;

constexpr int most_tries = 4;
constexpr uint64_t longest_wait_s = 30;
constexpr size_t most_sent_bytes = size_t{16} << 20;
/// The parts that were accepted, a line each: where, and the part's number.
constexpr const char* sent_name = "fleet.sent";

/// A part as it goes to the helper: a line with where to, the line for fleet.sent, the session's name, then
/// the bytes.
std::string packet(const std::string& target, const std::string& line, const std::string& session,
                   const std::string& bytes) {
    return target + "\n" + line + "\n" + session + "\n" + bytes;
}

/// The outer side. Runs in the helper's process. A process in the sandbox that a hostile binary has taken
/// over can have it write nothing but parts below the directory, and fleet.sent of sessions.
class Sender {
public:
    Sender(const StandardRoadOptions& options, std::string samples)
        : o_(options), samples_(std::move(samples)) {}

    std::string operator()(std::string_view request) {
        const std::string target(take_line(request)), line(take_line(request)), session(take_line(request));
        check_session_name(session);
        if (o_.road.kind == Road::Kind::directory)
            write(target, request);
        else
            post(target, request);
        remember(samples_ + "/" + session, line);
        return "";
    }

private:
    /// Below the directory no link is followed: others may write there.
    void write(const std::string& name, std::string_view bytes) {
        if (!fleet::is_part_file(name)) throw_input(printable(name) + " cannot be the file of a part");
        std::string label = o_.road.directory;
        Fd dir = open_top();
        const auto parts = split(name, '/');
        for (size_t i = 0; i + 1 < parts.size(); ++i) {
            label += "/" + std::string(parts[i]);
            dir = open_directory_at(dir, std::string(parts[i]), printable(label), true);
        }
        label += "/" + std::string(parts.back());
        replace_file_at(dir, std::string(parts.back()), printable(label), bytes, 0644, [](const Fd&) {});
    }

    Fd open_top() const {
        const std::string label = printable(o_.road.directory);
        std::error_code error;
        std::filesystem::create_directories(o_.road.directory, error);
        if (error) throw_system("cannot make " + label, error.value());
        Fd dir(::open(o_.road.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!dir) throw_system("cannot open " + label);
        return dir;
    }

    /// Waits where the server asks for it. The same bytes again: there is no other way to learn what became
    /// of a request without an answer.
    void post(const std::string& target, std::string_view body) {
        if (!client_) {
            fleet::HttpSettings settings = o_.http;
            settings.ignores_proxy |= o_.road.server.is_loopback();
            client_.emplace(settings);
        }
        fleet::HttpRequest request;
        request.url = o_.road.server.base() + target;
        const bool is_otlp = o_.road.kind == Road::Kind::otlp;
        request.headers = {is_otlp ? "Content-Type: application/x-protobuf"
                                   : "Content-Type: application/octet-stream"};
        if (is_otlp) request.headers.push_back("Content-Encoding: gzip");
        if (!o_.password.empty())
            request.headers.push_back(fleet::basic_authorization(o_.road.server.user, o_.password));
        request.body = body;
        for (int tries = 1;; ++tries) {
            const fleet::HttpAnswer answer = client_->post(request);
            const fleet::RoadOutcome outcome = fleet::judge_road_answer(o_.road, answer);
            if (outcome.verdict == Verdict::accepted) return;
            const std::string message = o_.road.server.base() + ": " + outcome.message;
            if (outcome.verdict == Verdict::refused) throw_input(message);
            if (tries == most_tries) throw Error(ErrorKind::system, message);
            const uint64_t wait =
                std::min(answer.retry_after.value_or(uint64_t{1} << (tries - 1)), longest_wait_s);
            ::poll(nullptr, 0, static_cast<int>(wait * 1000));
        }
    }

    static void remember(const std::string& session, const std::string& line) {
        const Fd dir(::open(session.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        const Fd file =
            dir ? open_at(dir, sent_name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0640)
                : Fd();
        struct stat st {};
        if (!file || ::fstat(file.get(), &st) != 0)
            throw_system("accepted, but cannot write " + printable(session) + "/" + sent_name);
        check_own_file(st, printable(session) + "/" + sent_name);
        write_fd(file.get(), line + "\n", sent_name);
        ::fsync(file.get());
    }

    const StandardRoadOptions& o_;
    const std::string samples_;
    std::optional<fleet::HttpClient> client_;
};

/// One session on its way; runs in the sandbox.
class SessionPush {
public:
    SessionPush(const StandardRoadOptions& options, const std::string& name, const std::string& dir,
                Helper& sender)
        : o_(options), name_(name), sender_(sender) {
        const Fd session(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!session) throw_system("cannot open " + printable(dir));
        if (const auto text = read_file_below(session, sent_name, dir + "/" + sent_name, most_sent_bytes))
            for (std::string_view rest = *text; !rest.empty();)
                sent_.emplace(take_line(rest));
    }

    void run(LoadedProfile& loaded) {
        const pp::Profile& profile = loaded.profile();
        context_.info = loaded.opened().info ? &*loaded.opened().info : nullptr;
        context_.remarks = loaded.remarks();
        const size_t most = o_.road.kind == Road::Kind::directory ? SIZE_MAX : fleet::pyroscope_most_samples;
        fleet::for_each_part(profile, most, [&](uint32_t app, const pp::Profile& part) {
            return take(app == pp::no_application ? "unknown" : profile.images[app].name.display(), part);
        });
    }

    uint64_t parts() const { return number_; }
    uint64_t pushed() const { return pushed_; }

private:
    /// False if it is beyond the server's limit.
    bool take(const std::string& application, const pp::Profile& profile) {
        RoadPart part{.application = application, .host = host(), .number = number_};
        if (context_.info) {
            part.start_time = context_.info->start_time;
            part.stop_time = context_.info->stop_time;
        }
        const std::string line = where() + " " + std::to_string(number_);
        const auto bytes = encode(part, profile);
        if (!bytes) return false;
        ++number_;
        if (sent_.contains(line)) return true;
        const std::string target = o_.road.kind == Road::Kind::directory
                                       ? fleet::part_file(name_, part)
                                       : fleet::request_target(o_.road, part);
        sender_.ask(packet(target, line, name_, *bytes));
        ++pushed_;
        return true;
    }

    std::optional<std::string> encode(const RoadPart& part, const pp::Profile& profile) const {
        if (o_.road.kind == Road::Kind::otlp) {
            const std::string identity = part.host + '\0' + name_ + '\0' + std::to_string(part.start_time) +
                                         '\0' + std::to_string(part.number);
            const std::string bytes =
                fleet::encode_otlp(profile, {context_.info, part.application, part.host, identity});
            return bytes.size() > fleet::otlp_most_bytes ? std::nullopt : std::optional(gzip(bytes));
        }
        std::string bytes = pp::find_exporter("pprof")->write(profile, context_);
        if (o_.road.kind == Road::Kind::pyroscope &&
            gunzip(bytes, "pprof").size() > fleet::pyroscope_most_bytes)
            return std::nullopt;
        return bytes;
    }

    std::string host() const {
        if (!o_.host.empty()) return o_.host;
        return context_.info && !context_.info->host.empty() ? context_.info->host : "unknown";
    }
    std::string where() const {
        if (o_.road.kind == Road::Kind::directory) return "file:" + fleet::percent_encoded(o_.road.directory);
        return (o_.road.kind == Road::Kind::otlp ? "otlp+" : "pyroscope+") + o_.road.server.base();
    }

    const StandardRoadOptions& o_;
    const std::string name_;
    Helper& sender_;
    std::set<std::string> sent_;
    pp::ExportContext context_;
    uint64_t number_ = 0, pushed_ = 0;
};

std::vector<std::string> rotated_names(const std::string& samples, Diagnostics& notes) {
    const Fd dir(::open(samples.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!dir) throw_system("cannot open " + printable(samples));
    std::vector<std::string> names;
    for (const RotatedSession& session : list_rotated(dir, samples, notes))
        if (session.samples > 0) names.push_back(session.name);
    if (names.empty())
        throw_usage("there is no rotated session in " + printable(samples) +
                    "; name the sessions to push, or record with --rotate");
    return names;
}

}  // namespace

int push_by_standard_road(Tool& tool, const StandardRoadOptions& o) {
    const std::string samples =
        (o.common.session_dir.empty() ? default_session_dir() : o.common.session_dir) + "/samples";
    std::vector<std::string> names = o.sessions;
    if (names.empty()) names = rotated_names(samples, tool.notes);
    OutsidePlan plan;
    for (const std::string& name : names) {
        check_session_name(name);
        plan.profiles.push_back({"session:" + name});
    }
    Sender outer(o, samples);
    Helper sender([&outer](std::string_view request) { return outer(request); }, tool.notes);
    plan.descriptors.push_back(sender.descriptor());
    Outside outside(o.common, plan, tool);
    int status = 0;
    for (const std::string& name : names) {
        const bool is_done = tool.attempt([&] {
            LoadOptions load;
            load.merge = pp::parse_merge(std::vector<std::string>{"cpu", "tid", "tgid", "unitmask"});
            load.select.callgraph = true;
            load.notes_missing = false;
            LoadedProfile loaded(o.common, {"session:" + name}, load, outside, tool);
            SessionPush push(o, name, samples + "/" + name, sender);
            push.run(loaded);
            const std::string parts = counted(push.parts(), "part");
            const bool is_new = push.pushed() > 0 || push.parts() == 0;
            write_stdout(name + ": " +
                         (is_new ? std::to_string(push.pushed()) + " of " + parts + " pushed"
                                 : "nothing new, " + parts + " pushed before") +
                         "\n");
        });
        if (!is_done) status = 1;
        tool.print_notes();
    }
    return status;
}

}  // namespace op::tool
