// SPDX-License-Identifier: GPL-2.0-or-later
// opjitconv: makes the files of symbols of run-time code in a session, TGID.jo, of dumps that libopagent has
// written, with OProfile's arguments. Recordings of ours have such files already; they stay.
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/jit/jo_file.h"
#include "libop/session/session.h"
#include "libop/stacks/recover_account.h"
#include "utils/code_dumps.h"
#include "utils/shared/options.h"
#include "utils/shared/sandbox.h"
#include "utils/shared/tool.h"

namespace op::tool {
namespace {

struct Options {
    std::string session_dir, dump_dir = "/tmp/.oprofile/jitdump";
    bool debug = false, non_root = false, delete_dumps = false, no_sandbox = false;
    uint64_t from = 0, to = 0;  ///< seconds since 1970
};

CommandSyntax syntax(Options& o) {
    return {"--session-dir=DIR STARTTIME ENDTIME",
            {
                {"session-dir", 0, &o.session_dir, "the session that gets the symbols", "DIR"},
                {"dump-dir", 0, &o.dump_dir, "where OProfile's agent wrote (/tmp/.oprofile/jitdump)", "DIR"},
                {"non-root", 0, &o.non_root, "use only this user's dumps of our agent"},
                {"delete-jitdumps", 0, &o.delete_dumps, "remove the dumps of OProfile's agent afterwards"},
                {"debug", 'd', &o.debug, "print what is done for each process"},
                {"no-sandbox", 0, &o.no_sandbox, "read dumps with all rights (see SANDBOX)"},
            }};
}

uint64_t time_of(const std::string& word) {
    const auto time = parse_number(word);
    if (!time) throw_usage(printable(word) + " is no time in seconds since 1970");
    return *time;
}

/// Processes with code in memory that is of no file, and the applications that have their samples.
using Processes = std::map<uint32_t, ImageName>;

Processes processes_of(const SessionWriter& session) {
    Processes processes;
    for (const std::string& path : session.list()) {
        const auto name = parse_sample_path(path);
        if (name && name->image.kind == ImageName::Kind::anon && name->image.tgid != 0)
            processes.try_emplace(name->image.tgid, name->app);
    }
    return processes;
}

class Converter {
public:
    Converter(Tool& tool, const Options& options, const SessionWriter& session, const CodeDumps& dumps)
        : tool_(tool), options_(options), session_(session), dumps_(dumps) {}

    void convert(uint32_t tgid, const ImageName& application) {
        const std::string path = jo_path(application, tgid), label = session_.current_path() + "/" + path;
        if (session_.length_of(path) > 0) return explain(tgid, "its symbols are in the session");
        auto dump = dumps_.find(tgid, static_cast<time_t>(options_.from));
        if (!dump) return explain(tgid, "no dump");
        SettledCode settled = longest_lived(std::move(dump->lives), options_.from, options_.to);
        if (settled.symbols.empty())
            return explain(tgid, printable(dump->path) + " has no code of that time");
        CodeMap code{std::move(settled.symbols), {}};
        if (const std::string lost = fit_for_jo(code); !lost.empty())
            tool_.notes.warn(printable(label) + " has no room for " + lost);
        write_jo(session_.directory(), label, path, make_jo(code, dump->target), session_.policy());
        explain(tgid, counted(code.symbols.size(), "symbol") + " of " + printable(dump->path));
        if (settled.given_way > 0)
            tool_.notes.warn("process " + std::to_string(tgid) + ": all or part of " +
                             counted(settled.given_way, "function") +
                             " has the name of another one that was there for longer");
    }

private:
    void explain(uint32_t tgid, const std::string& text) const {
        if (options_.debug)
            write_stderr(tool_.name + ": process " + std::to_string(tgid) + ": " + text + "\n");
    }

    Tool& tool_;
    const Options& options_;
    const SessionWriter& session_;
    const CodeDumps& dumps_;
};

int convert_all(Tool& tool, const Options& o) {
    const SessionReader existing(o.session_dir + "/samples/" + current_session);  // or there is nothing to do
    SessionWriter session(o.session_dir, false, tool.notes);
    session.begin(true);
    recover_account(session, tool.notes);
    const CodeDumps dumps(o.dump_dir, ::geteuid() == 0 && !o.non_root, tool.notes);
    if (!o.no_sandbox) {
        SandboxNeeds needs{.writable_dirs = {o.session_dir}, .descriptors = {session.lock_descriptor()}};
        if (o.delete_dumps && ::access(o.dump_dir.c_str(), F_OK) == 0)
            needs.writable_dirs.push_back(o.dump_dir);
        enter_sandbox(needs, tool.notes);
    }
    Converter converter(tool, o, session, dumps);
    bool is_good = true;
    for (const auto& process : processes_of(session))
        is_good &= tool.attempt([&] { converter.convert(process.first, process.second); });
    if (o.delete_dumps) is_good &= tool.attempt([&] { dumps.remove_all(); });
    return is_good ? 0 : 1;
}

int opjitconv(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    if (o.session_dir.empty()) throw_usage("give the session: --session-dir=DIR");
    if (parsed.words.size() != 2) throw_usage("give STARTTIME and ENDTIME, in seconds since 1970");
    o.from = time_of(parsed.words[0]);
    o.to = time_of(parsed.words[1]);
    if (o.to < o.from) throw_usage("ENDTIME is before STARTTIME");
    return convert_all(tool, o);
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::opjitconv);
}
