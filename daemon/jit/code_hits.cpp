// SPDX-License-Identifier: GPL-2.0-or-later
// Keys and frames back to addresses.
#include "daemon/jit/code_hits.h"

#include <algorithm>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/jit/code_symbol.h"
#include "libop/session/sample_path.h"
#include "libop/stacks/stack_reader.h"

namespace op::collect {
namespace {

constexpr size_t longest_sample_file = size_t{1} << 30;

bool is_code(const ImageName& image) {
    return image.kind == ImageName::Kind::anon && image.start != 0;
}

template <class Step>
void attempt(Diagnostics& notes, Step step) {
    try {
        step();
    } catch (const Error& e) {
        notes.warn(std::string("names of code made at run time: ") + e.what());
    }
}

class Hits {
public:
    Hits(const SessionWriter& session, const std::set<uint32_t>& tgids, Diagnostics& notes)
        : session_(session), tgids_(tgids), notes_(notes) {}

    std::map<uint32_t, CodeHits> read() && {
        for (const std::string& path : session_.list())
            if (const auto name = parse_sample_path(path); name && is_wanted(name->image) && !name->callee)
                attempt(notes_, [&] { add_file(path, *name); });
        attempt(notes_, [&] { add_frames(); });
        for (auto& [tgid, hits] : hits_)
            tidy(hits);
        return std::move(hits_);
    }

private:
    bool is_wanted(const ImageName& image) const { return is_code(image) && tgids_.contains(image.tgid); }

    void add_file(const std::string& path, const SampleName& name) {
        const std::string label = session_.current_path() + "/" + path;
        const auto bytes = read_file_below(session_.directory(), path, label, longest_sample_file);
        if (!bytes) return;
        CodeHits& hits = hits_[name.image.tgid];
        hits.application = name.app;
        for (const SampleEntry& entry : parse_sample_file(as_bytes(*bytes), label, notes_).entries)
            add(hits, name.image, entry.key);
    }

    void add_frames() {
        auto set = StackSetReader::open(session_.directory(), session_.current_path(), notes_);
        if (!set) return;
        const auto& images = set->images();
        for (const StackFrame& frame : set->frames())
            if (frame.image < images.size() && is_wanted(images[frame.image]) && !frame.is_application())
                add(hits_[images[frame.image].tgid], images[frame.image], frame.offset - !frame.is_exact);
    }

    /// Of a return address the byte before it counts.
    void add(CodeHits& hits, const ImageName& region, uint64_t offset) {
        if (offset > region.end - region.start) return;
        hits.addresses.push_back(region.start + offset);
        if (hits.addresses.size() >= 4 * CodeHits::most_addresses) tidy(hits);
    }

    static void tidy(CodeHits& hits) {
        std::ranges::sort(hits.addresses);
        hits.addresses.erase(std::unique(hits.addresses.begin(), hits.addresses.end()), hits.addresses.end());
        if (hits.addresses.size() <= CodeHits::most_addresses) return;
        hits.is_cut = true;
        hits.addresses.resize(CodeHits::most_addresses);
    }

    const SessionWriter& session_;
    const std::set<uint32_t>& tgids_;
    Diagnostics& notes_;
    std::map<uint32_t, CodeHits> hits_;
};

}  // namespace

std::map<uint32_t, CodeHits> read_code_hits(const SessionWriter& session, const std::set<uint32_t>& tgids,
                                            Diagnostics& notes) {
    return Hits(session, tgids, notes).read();
}

std::map<uint32_t, unsigned> code_generations(const SessionWriter& session, Diagnostics& notes) {
    std::map<uint32_t, unsigned> highest;
    const auto add = [&](const ImageName& image) {
        if (!is_code(image)) return;
        unsigned& known = highest[image.tgid];
        known = std::max(known, code_generation(image.start));
    };
    for (const std::string& path : session.list())
        if (const auto name = parse_sample_path(path)) {
            add(name->image);
            if (name->callee) add(*name->callee);
        }
    attempt(notes, [&] {
        if (const auto set = StackSetReader::open(session.directory(), session.current_path(), notes))
            for (const ImageName& image : set->images())
                add(image);
    });
    return highest;
}

std::set<uint32_t> processes_with_code(const SessionWriter& session, Diagnostics& notes) {
    std::set<uint32_t> tgids;
    for (const auto& [tgid, generation] : code_generations(session, notes))
        tgids.insert(tgid);
    return tgids;
}

}  // namespace op::collect
