// SPDX-License-Identifier: GPL-2.0-or-later
// The order of the steps: open what is needed, give up the rest, parse. doc/adr/0015-the-sandbox.md.
#include "utils/import_session.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "daemon/collect/session_keeper.h"
#include "daemon/import/importers.h"
#include "daemon/jit/imported_code.h"
#include "daemon/run/recording.h"
#include "daemon/source/kallsyms_copy.h"
#include "daemon/source/machine.h"
#include "libop/base/clock.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/gzip.h"
#include "libop/base/text.h"
#include "libop/session/session.h"
#include "libop/session/session_statistics.h"
#include "utils/shared/sandbox.h"

namespace op::tool {
namespace {

using namespace op::collect;

ImportedFile open_recording(const std::string& path) {
    const Fd file = open_regular(path);
    struct stat st {};
    if (::fstat(file.get(), &st) != 0) throw_system("cannot stat " + printable(path));
    return {MappedFile(file, path), printable(path), static_cast<uint64_t>(nanoseconds(st.st_mtim))};
}

/// One run of the command.
class Import {
public:
    Import(Tool& tool, const ImportRequest& request) : tool_(tool), request_(request) {}

    int run() {
        for (const std::string& path : request_.files) {
            ImportedFile file = open_recording(path);
            const Importer& kind = importer_for(request_.from, file.file.bytes(), file.label);
            files_.push_back({kind, std::move(file), path});
        }
        if (!request_.kallsyms.empty()) kallsyms_ = open_regular(request_.kallsyms);
        // The sandbox takes the right to see addresses when it is opened.
        else
            running_kallsyms_ = Fd(::open(std::string(kallsyms_image).c_str(), O_RDONLY | O_CLOEXEC));
        if (!request_.jit_dir.empty() && !std::filesystem::is_directory(request_.jit_dir))
            throw_usage("--jit-dir=" + printable(request_.jit_dir) + " is no directory");
        raise_file_limit();
        session_.emplace(request_.session_dir, true, tool_.notes);
        if (!request_.no_sandbox)
            enter_sandbox({.writable_dirs = {request_.session_dir},
                           .moves_dirs = true,
                           .descriptors = {session_->lock_descriptor()}},
                          tool_.notes);
        for (auto& [kind, file, path] : files_) {
            const std::string label = file.label;
            opened_.push_back({label, path, kind.open(std::move(file), request_.kind, tool_.notes)});
        }
        session_->begin(request_.append);
        bool is_added = request_.append, good = true;
        for (Opened& each : opened_) {
            good &= tool_.attempt([&] { add(each, is_added); });
            is_added = true;
        }
        return good ? 0 : 1;
    }

private:
    struct Found {
        const Importer& kind;
        ImportedFile file;
        std::string path;
    };
    struct Opened {
        std::string label, path;
        OpenedRecording recording;
    };

    void add(Opened& opened, bool append) {
        OpenedRecording& recording = opened.recording;
        CollectorOptions options;
        options.stacks = recording.has_stacks;
        options.arcs = recording.has_stacks && request_.callgraph_files;
        const auto before =
            append ? code_generations(*session_, tool_.notes) : std::map<uint32_t, unsigned>();
        ImportedCode code(code_places(opened), *session_, before, tool_.notes);
        SessionKeeper keeper(*session_, recording.source->describe(), options, append, tool_.notes);
        keeper.collector().watch_code(code);
        drain_into(*recording.source, [&](auto records) {
            keeper.process(records);
            keeper.collector().place_much_code();
        });
        const SessionInfo info = keeper.save();
        code.write();
        session_->write_statistics(keeper.whole(info));
        if (keeper.collector().saw_kernel()) {
            write_kernel_symbols(recording, keeper);
            add_made_symbols(recording, info);
        }
        recording.source.reset();
        tool_.print_notes();
        for (const std::string& remark : recording.remarks)
            write_stderr(tool_.name + ": " + opened.label + ": " + remark + "\n");
        write_stderr(tool_.name + ": " + opened.label + ": " + samples_text(info.ledger) + "\n");
    }

    /// Where names of code made at run time may be.
    ImportedPlaces code_places(const Opened& opened) const {
        ImportedPlaces places;
        places.is_same_host = opened.recording.is_same_host;
        places.has_dump_times = opened.recording.has_dump_times;
        const size_t slash = opened.path.rfind('/');
        places.beside = slash == opened.path.npos ? "." : opened.path.substr(0, slash + 1);
        places.directory = request_.jit_dir;
        const SessionInfo& info = opened.recording.source->describe();
        places.began = static_cast<int64_t>(info.start_time) * 1'000'000'000;
        return places;
    }

    /// Names addresses of the kernel, if its symbols are at hand.
    void write_kernel_symbols(const OpenedRecording& recording, SessionKeeper& keeper) {
        if (kallsyms_) {
            const std::string symbols = packed_functions(kallsyms_);
            if (!symbols.empty()) return session_->write_file(kallsyms_name, symbols);
            return tool_.notes.warn(printable(request_.kallsyms) + ": no symbols with addresses");
        }
        KallsymsCopy here(running_kallsyms_);
        const auto range = here.read();
        if (range && recording.is_running_kernel && recording.is_running_kernel(range->start))
            return keeper.write_met_symbols(here);
        tool_.notes.warn(range ? "samples in the kernel have no function names: they are of another kernel, "
                                 "or of another boot, "
                                 "than the one that runs here; copy /proc/kallsyms as root on the recorded "
                                 "machine before it "
                                 "boots again, and import with --kallsyms=COPY"
                               : "samples in the kernel have no function names: /proc/kallsyms has no "
                                 "addresses for this user; "
                                 "import as root, or with --kallsyms and a copy of it that root has made");
    }

    /// Adds lines of code that the kernel made while it ran, each the module of its name.
    void add_made_symbols(const OpenedRecording& recording, const SessionInfo& info) {
        constexpr size_t most_bytes = size_t{64} << 20;
        if (!recording.made_kernel_code) return;
        const auto names = recording.made_kernel_code();
        std::string lines;
        for (const RecordedKernelImage& image : info.kernel_images)
            if (names.contains(image.name))
                lines += hex(image.start) + " t " + image.name + "\t[" + image.name + "]\n";
        if (lines.empty()) return;
        const auto before =
            read_file_below(session_->directory(), kallsyms_name, session_->current_path(), most_bytes);
        session_->write_file(kallsyms_name, before.value_or("") + gzip(lines));
    }

    Tool& tool_;
    const ImportRequest& request_;
    std::optional<SessionWriter> session_;
    std::vector<Found> files_;
    std::vector<Opened> opened_;
    Fd kallsyms_, running_kallsyms_;
};

}  // namespace

int import_session(Tool& tool, const ImportRequest& request) {
    return Import(tool, request).run();
}

}  // namespace op::tool
