// SPDX-License-Identifier: GPL-2.0-or-later
// A day of one host of a fleet, made of real sessions with noise:
//   make_fleet DIR HOST ROWS START SESSION...
// Writes the session DIR/samples/fleet-..., of host number HOST: ROWS counters at START (seconds since the
// epoch) in 100 builds of the sessions' images, the first of which have most (Zipf). A host has the programs
// of one of ten roles, half of the hosts the next build of each. Places and counts are those of the sessions,
// the counts times a number between a half and two; where a session has too few places, those nearby.
#include <algorithm>
#include <cmath>
#include <map>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/cpu_model.h"
#include "libop/session/rotated_sessions.h"
#include "libop/session/session.h"
#include "tests/bench/draw.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

constexpr uint64_t period = 1'000'000, builds = 100, roles = 10, releases = 2;

using Places = std::vector<SampleEntry>;

/// The images of real sessions with their places, those with most places first.
std::vector<Places> read_images(const std::vector<std::string>& sessions, Diagnostics& notes) {
    std::map<std::string, std::map<uint64_t, uint64_t>> images;
    for (const std::string& path : sessions) {
        const SessionReader session(path);
        for (const std::string& file : session.list()) {
            const auto name = parse_sample_path(file);
            if (!name || name->callee || name->image.kind == ImageName::Kind::anon) continue;
            for (const SampleEntry& entry : session.read(file, notes).entries)
                images[name->image.name][entry.key] += entry.count;
        }
    }
    std::vector<Places> found;
    for (const auto& [name, places] : images) {
        Places& image = found.emplace_back();
        for (const auto& [key, count] : places)
            image.push_back({key, count});
    }
    std::ranges::stable_sort(found, std::greater<>(), &Places::size);
    if (found.empty()) throw_input("the sessions have no samples");
    return found;
}

class Host {
public:
    Host(SessionWriter& session, const std::vector<Places>& images, uint64_t number, uint64_t start,
         Diagnostics& notes)
        : session_(session), images_(images), number_(number), notes_(notes), draw_(number) {
        info_.tool = "make_fleet";
        info_.host = "host" + std::to_string(number);
        info_.kernel_release = "6.1.0-1";
        info_.cpu_type = cpu_type_timer;
        info_.start_time = start;
        info_.stop_time = start + 86400;
        info_.events = {{.name = "TIMER", .count = period}};
    }

    void make(uint64_t rows) {
        double all = 0;
        for (uint64_t build = 0; build < builds; ++build)
            all += weight(build);
        for (uint64_t build = 0; build < builds; ++build)
            add(build, static_cast<uint64_t>(static_cast<double>(rows) * weight(build) / all + 0.5));
        info_.ledger.add_sampled(stored_);
        info_.ledger.add_stored(stored_);
        session_.write_info(info_);
        session_.try_save_as(rotated_name(info_.start_time));
    }

private:
    /// Zipf's, over the builds in the order of the host's role.
    double weight(uint64_t build) const {
        const uint64_t rank = (build + builds - number_ % roles * (builds / roles)) % builds;
        return 1 / static_cast<double>(1 + rank);
    }

    void add(uint64_t build, uint64_t rows) {
        const Places& places = images_[build % images_.size()];
        const uint64_t release = number_ / roles % releases;
        const std::string path = "/usr/bin/program" + std::to_string(build);
        SampleName name;
        name.app = name.image = {ImageName::Kind::file, path};
        name.event = "TIMER";
        name.count = period;
        SampleHeader header;
        header.cpu_type = cpu_type_timer;
        header.count = period;
        SampleFile file = session_.open_sample_file(name, header, notes_);
        for (uint64_t i = 0; i < rows; ++i) {
            const SampleEntry& place = places[i % places.size()];
            const double noise = std::exp2(2 * draw_.part() - 1);
            const double hits = std::max(1.0, static_cast<double>(place.count) * noise);
            const auto count = static_cast<uint32_t>(std::min(hits, 1e9));
            file.add(place.key + i / places.size() * 4 + release * 64, count);
            stored_ += count;
        }
        info_.images[path] = {.build_id = hex(build * releases + release + 1, 16) + std::string(24, '0')};
    }

    SessionWriter& session_;
    const std::vector<Places>& images_;
    uint64_t number_, stored_ = 0;
    Diagnostics& notes_;
    Draw draw_;
    SessionInfo info_;
};

uint64_t number(const char* text) {
    const auto value = parse_number(text);
    if (!value) throw_usage(std::string("not a number: ") + text);
    return *value;
}

int make_fleet(Tool& tool, int argc, char** argv) {
    if (argc < 6) throw_usage("usage: make_fleet DIR HOST ROWS START SESSION...");
    const auto images = read_images({argv + 5, argv + argc}, tool.notes);
    SessionWriter session(argv[1], true, tool.notes);
    session.begin(false);
    Host(session, images, number(argv[2]), number(argv[4]), tool.notes).make(number(argv[3]));
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::make_fleet);
}
