// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: a session directory may hold anything: reading, selecting and reporting it ends, or is an
// error. The input is entries: a letter for the kind (file, link, fifo, directory), a path that ends with
// NUL, a byte and a byte for the size (little-endian), and the content of the file or the target of the link.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/session.h"
#include "libpp/profile/profile.h"
#include "libpp/profile/select.h"
#include "libpp/report/writer.h"

namespace {

using namespace op;
using namespace op::pp;

class Tree {
public:
    Tree() {
        path_ = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path();
        path_ += "/oprofile-ng-fuzz.XXXXXX";
        if (!::mkdtemp(path_.data())) std::abort();
    }
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;
    ~Tree() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }

    /// Never follows a link, so that nothing outside is made or written.
    void add(char kind, std::string_view path, std::string_view content) const {
        Fd dir = open_file(path_, O_RDONLY | O_DIRECTORY);
        std::vector<std::string_view> parts = split(path, '/');
        const std::string last(parts.back());
        parts.pop_back();
        for (const std::string_view part : parts) {
            const std::string name(part);
            if (name.empty() || name == "." || name == "..") return;
            ::mkdirat(dir.get(), name.c_str(), 0755);
            dir = Fd(::openat(dir.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
            if (!dir) return;
        }
        if (!last.empty() && last != "." && last != "..") make(dir, kind, last, content);
    }

private:
    static void make(const Fd& dir, char kind, const std::string& name, std::string_view content) {
        if (kind == 'l') {
            if (::symlinkat(std::string(content).c_str(), dir.get(), name.c_str()) != 0) return;
        } else if (kind == 'p') {
            if (::mkfifoat(dir.get(), name.c_str(), 0644) != 0) return;
        } else if (kind == 'd') {
            if (::mkdirat(dir.get(), name.c_str(), 0755) != 0) return;
        } else {
            const Fd file(::openat(dir.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
            if (file && ::write(file.get(), content.data(), content.size()) < 0) return;
        }
    }

    std::string path_;
};

void fill(const Tree& tree, std::string_view input) {
    constexpr size_t most_entries = 64;
    for (size_t n = 0; n < most_entries && input.size() > 3; ++n) {
        const char kind = input[0];
        const size_t end = std::min(input.find('\0'), input.size());
        const std::string_view path = input.substr(1, end - std::min<size_t>(end, 1));
        input.remove_prefix(std::min(end + 1, input.size()));
        if (input.size() < 2) return;
        const size_t size =
            static_cast<unsigned char>(input[0]) + (static_cast<unsigned char>(input[1]) << 8);
        tree.add(kind, path, input.substr(2, size));
        input.remove_prefix(std::min(2 + size, input.size()));
    }
}

template <class Action>
void attempt(Action action) {
    try {
        action();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) std::abort();
    }
}

void report(const std::vector<SessionReader>& sessions, const std::string& root, Diagnostics& notes) {
    const auto info = sessions.front().info(notes);
    const std::string kallsyms = sessions.front().kallsyms(notes);
    const std::vector<std::vector<RecordedEvent>> events{info ? info->events : std::vector<RecordedEvent>{}};
    const ImageFinder finder({.archive = {}, .root = root, .image_paths = {}});
    const auto files =
        select_files(sessions, {}, {.exclude_dependent = false, .callgraph = true}, finder, notes);
    const ProfileClasses classes = arrange(files, {});
    SampleSet samples(sessions, files, events, std::nullopt, notes);
    Symbolizer symbolizer(finder, info ? &*info : nullptr, kallsyms, {}, notes);
    const Profile profile = build_profile(classes, samples, symbolizer);
    profile.check();
    const ReportOptions options;
    const auto head = make_head(options, classes.axis, classes.classes, samples.header(),
                                info ? &*info : nullptr, notes, scaled_columns(classes, samples));
    find_writer("text")->write(report_images(image_totals(classes, samples), head, options), {});
    find_writer("text")->write(report_symbols(profile, head, options), {});
}

}  // namespace

extern "C" int fuzz_mutations();
extern "C" int fuzz_mutations() {
    return 30;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const Tree tree;
    fill(tree, {reinterpret_cast<const char*>(data), size});
    std::vector<SessionReader> sessions;
    sessions.emplace_back(tree.path());
    Diagnostics notes;
    attempt([&] {
        for (const std::string& path : sessions.front().list())
            attempt([&] { sessions.front().read(path, notes); });
    });
    attempt([&] { report(sessions, tree.path() + "/root", notes); });
    attempt([&] { sessions.front().statistic("sample_lost_overflow"); });
    return 0;
}
