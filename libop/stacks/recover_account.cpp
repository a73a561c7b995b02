// SPDX-License-Identifier: GPL-2.0-or-later
// Adding up what the files of a session hold.
#include "libop/stacks/recover_account.h"

#include <fcntl.h>

#include "libop/base/counted.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/session_files.h"
#include "libop/stacks/stack_reader.h"
#include "libop/stacks/stack_set.h"

namespace op {

namespace {

void add_tree(StackAccount& held, const StoredTree& tree, const std::vector<StackFrame>& frames) {
    std::vector<StackEnd> ends(1, StackEnd::root);
    ends.reserve(tree.nodes.size());
    for (size_t i = 1; i < tree.nodes.size(); ++i) {
        const auto& [parent, frame, count] = tree.nodes[i];
        ends.push_back(frames[frame].is_cut() ? frames[frame].end() : ends[parent]);
        if (count == 0) continue;
        const bool is_complete = ends[i] == StackEnd::root;
        uint64_t& sum = is_complete ? held.complete : held.incomplete[std::string(stack_end_name(ends[i]))];
        sum = add_saturating(sum, count);
    }
}

/// True if the account of the stacks differed.
bool correct_stacks(SessionInfo& info, StackAccount held) {
    held.cut = info.stacks.cut;
    held.lost = info.stacks.lost;
    return std::exchange(info.stacks, held) != held;
}

/// Later writers take the files for sound.
void end_damaged_stacks(const SessionWriter& session, Diagnostics& notes) {
    if (!open_at(session.directory(), stacks_dir, O_RDONLY | O_DIRECTORY)) return;
    try {
        const StackSet set(session.directory(), session.current_path(), notes, session.policy(), {}, true);
    } catch (const Error& error) {
        notes.warn(std::string(error.what()) + "; its call stacks are not checked");
    }
}

}  // namespace

StackAccount count_held_stacks(const Fd& session_dir, const std::string& label, Diagnostics& notes) {
    StackAccount held;
    try {
        auto reader = StackSetReader::open(session_dir, label, notes);
        if (!reader) return held;
        for (const SampleClass& sample_class : reader->classes()) {
            const StoredTree tree = reader->read(sample_class, notes);
            add_tree(held, tree, reader->frames());
        }
    } catch (const Error& error) {
        notes.warn(std::string(error.what()) + "; its call stacks are not counted");
    }
    return held;
}

void recover_account(SessionWriter& session, Diagnostics& notes) {
    if (!session.follows_crash()) return;
    end_damaged_stacks(session, notes);
    auto info = session.read_info(notes);
    if (!info) return;
    const std::string path = session.current_path();
    const HeldSamples held = count_held_samples(session.directory(), path, notes);
    const uint64_t recorded = info->ledger.stored(), stacks_recorded = info->stacks.stored();
    const bool differ = held.samples != recorded || held.arcs != info->arcs_stored;
    const bool stacks_differ = correct_stacks(*info, count_held_stacks(session.directory(), path, notes));
    if (!differ && !stacks_differ) return;
    info->ledger.set_stored(held.samples);
    info->arcs_stored = held.arcs;
    session.write_info(*info);
    const std::string recovered = printable(path) + ": recovered after a crash: ";
    if (differ)
        notes.warn(recovered + "the sample files hold " + counted(held.samples, "sample") +
                   ", the manifest had " + std::to_string(recorded));
    if (stacks_differ)
        notes.warn(recovered + "there are call stacks of " + counted(info->stacks.stored(), "sample") +
                   ", the manifest had " + std::to_string(stacks_recorded));
}

}  // namespace op
