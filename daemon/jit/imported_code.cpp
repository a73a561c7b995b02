// SPDX-License-Identifier: GPL-2.0-or-later
// Lives, and the names of each.
#include "daemon/jit/imported_code.h"

#include <algorithm>
#include <utility>

#include "daemon/jit/kept_code.h"
#include "daemon/jit/map_reader.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

/// The program of a process that has frames in stacks only.
constexpr std::string_view unknown_program = "/[unknown]";

unsigned limited(unsigned generation) {
    return std::min(generation, unnamed_code_generation);
}

uint64_t shift_of(unsigned generations) {
    return uint64_t{generations} << code_generation_bit;
}

/// Those of the generations from `first` to `last`, as if the first were 0.
std::vector<uint64_t> addresses_of(std::span<const uint64_t> all, unsigned first, unsigned last) {
    std::vector<uint64_t> addresses;
    for (const uint64_t address : all) {
        const unsigned generation = code_generation(address);
        if (generation >= first && generation <= last && generation <= last_code_generation)
            addresses.push_back(address - shift_of(first));
    }
    return addresses;
}

}  // namespace

ImportedCode::ImportedCode(ImportedPlaces places, const SessionWriter& session,
                           const std::map<uint32_t, unsigned>& earlier, Diagnostics& notes)
    : files_(std::move(places)), session_(session), notes_(notes) {
    for (const auto& [tgid, generation] : earlier)
        first_generations_[tgid] = limited(generation + 1);
}

unsigned ImportedCode::first_generation(uint32_t tgid) const {
    const auto known = first_generations_.find(tgid);
    return known == first_generations_.end() ? 0 : known->second;
}

/// Null if there are too many.
ImportedCode::Life* ImportedCode::find_or_begin(uint32_t tgid) {
    if (const auto known = current_.find(tgid); known != current_.end()) return known->second;
    if (number_of_lives_ >= most_lives) return nullptr;
    std::list<Life>& lives = lives_[tgid];
    if (lives.size() >= most_lives_of_one) return nullptr;
    ++number_of_lives_;
    const unsigned first = first_generation(tgid);
    Life* const life = &lives.emplace_back(Life{.tgid = tgid, .base = first, .last = first});
    current_.emplace(tgid, life);
    return life;
}

void ImportedCode::note(uint32_t tgid, std::string_view) {
    Life* const life = find_or_begin(tgid);
    if (!life || life->base > 0) {
        has_plain_.insert(tgid);
        return;
    }
    life->is_timed = false;
    life->has_samples = true;
}

void ImportedCode::note_mapping(uint32_t tgid, std::string_view path, const FileIdentity& file,
                                std::string_view) {
    if (!jitdump_number(path)) return;
    Life* life = find_or_begin(tgid);
    const RecordedDump dump{std::string(path), file};
    if (!life || life->dump == dump) return;
    if (life->dump) {
        end(tgid);
        life = find_or_begin(tgid);
        if (!life) return;
    }
    life->dump = dump;
    files_.note(dump);
    forget_overwritten(*life);
}

/// A process may overwrite its file.
void ImportedCode::forget_overwritten(const Life& life) {
    for (Life& other : lives_[life.tgid])
        if (&other != &life && other.dump == life.dump) {
            other.dump.reset();
            other.is_overwritten = true;
        }
}

void ImportedCode::end(uint32_t tgid) {
    const auto current = current_.find(tgid);
    if (current == current_.end()) return;
    Life& life = *current->second;
    place(life);
    current_.erase(current);
    if (life.has_samples) {
        first_generations_[tgid] = limited(life.last + 1);
        return;
    }
    lives_[tgid].pop_back();
    --number_of_lives_;
}

/// The first life without a jitdump needs no room in the memory of those that wait.
HeldSamples* ImportedCode::held_of(uint32_t tgid) {
    const auto current = current_.find(tgid);
    if (current == current_.end() && first_generation(tgid) == 0) return nullptr;
    Life* const life = find_or_begin(tgid);
    if (!life || (life->base == 0 && !is_placed_by_time(*life))) return nullptr;
    if (!life->held) life->held = std::make_unique<HeldSamples>();
    return life->held.get();
}

void ImportedCode::place(std::chrono::milliseconds, bool) noexcept {
    for (const auto& [tgid, life] : current_)
        place(*life);
}

void ImportedCode::place(Life& life) {
    const auto held = std::exchange(life.held, nullptr);
    if (!held || held->empty()) return;
    const std::vector<HeldSample> all = held->take();
    held_ -= all.size();
    for (size_t first = 0, last = 0; first < all.size(); first = last) {
        std::vector<CodeMoment> moments;
        for (; last < all.size(); ++last) {
            const std::span<const uint64_t> addresses = addresses_of_(all[last]);
            if (!moments.empty() && moments.size() + addresses.size() > most_moments) break;
            for (const uint64_t address : addresses)
                moments.push_back({all[last].time, address});
        }
        const std::vector<uint8_t> generations = generations_of(life, moments);
        std::span<const uint8_t> left = generations;
        for (size_t i = first; i < last; ++i) {
            const size_t addresses = addresses_of_(all[i]).size();
            store_(all[i], left.first(addresses));
            left = left.subspan(addresses);
        }
    }
}

std::vector<uint8_t> ImportedCode::generations_of(Life& life, std::span<const CodeMoment> moments) {
    std::vector<uint8_t> generations;
    try {
        const FoundFile file = is_placed_by_time(life) ? files_.find(*life.dump) : FoundFile{};
        uint64_t records = 0;
        if (file.file) generations = place_by_dump(file.file, moments, records).generations;
    } catch (const Error&) {  // noted when names are read
    }
    if (generations.size() != moments.size()) life.is_timed = false;
    generations.resize(moments.size(), 0);
    life.has_samples = true;
    for (uint8_t& generation : generations) {
        generation = static_cast<uint8_t>(limited(life.base + generation));
        life.last = std::max<unsigned>(life.last, generation);
    }
    return generations;
}

void ImportedCode::drop_held() {
    for (const auto& [tgid, life] : current_)
        life->held.reset();
    held_ = 0;
}

void ImportedCode::write() {
    std::set<uint32_t> tgids;
    for (const auto& [tgid, lives] : lives_)
        tgids.insert(tgid);
    if (tgids.empty()) return;
    for (const auto& [tgid, hits] : read_code_hits(session_, tgids, notes_))
        write(tgid, hits);
}

void ImportedCode::write(uint32_t tgid, const CodeHits& hits) {
    const std::list<Life>& lives = lives_[tgid];
    const auto with_samples = std::ranges::count_if(lives, &Life::has_samples);
    if (with_samples > 1) note_unused(tgid);
    std::vector<CodeSymbol> symbols;
    for (const Life& life : lives) {
        const auto addresses = addresses_of(hits.addresses, life.base, life.last);
        const bool is_unsure = life.base == 0 && has_plain_.contains(tgid);
        if (!life.has_samples || addresses.empty() || is_unsure) continue;
        for (CodeSymbol& symbol : names_of(life, addresses, with_samples == 1 && !life.is_overwritten))
            symbols.push_back(std::move(symbol));
    }
    if (symbols.empty()) return;
    std::ranges::sort(symbols, {}, &CodeSymbol::address);
    const ImageName application =
        hits.application.value_or(ImageName{ImageName::Kind::file, std::string(unknown_program), 0, 0, 0});
    keep_code(session_, application, tgid, kept_code(session_, application, tgid), std::move(symbols),
              notes_);
}

/// What the user gives by process number may be of any life.
void ImportedCode::note_unused(uint32_t tgid) {
    if (const FoundFile map = files_.find_map(tgid, notes_); map.file)
        notes_.warn(printable(map.path) + " is not used: several programs that made code had that number");
}

std::vector<CodeSymbol> ImportedCode::names_of(const Life& life, std::span<const uint64_t> addresses,
                                               bool is_only) {
    std::string path;
    MapAnswer answer = read(life, addresses, is_only, path);
    note_map(answer, printable(path), notes_);
    if (answer.ambiguous > 0 && answer.is_dump) note_ambiguous();
    for (CodeSymbol& symbol : answer.symbols) {
        symbol.address += shift_of(life.base);
        for (CodeLine& line : symbol.lines)
            line.address += shift_of(life.base);
    }
    return std::move(answer.symbols);
}

/// `path` = of what was found.
MapAnswer ImportedCode::read(const Life& life, std::span<const uint64_t> addresses, bool is_only,
                             std::string& path) {
    FoundFile dump = life.dump ? files_.find(*life.dump)
                     : is_only ? files_.find_dump(life.tgid)
                               : FoundFile{};
    if (dump.file) {
        path = dump.path;
        return read_dump(dump.file, addresses, is_placed_by_time(life) && life.is_timed);
    }
    if (is_only)
        if (FoundFile map = files_.find_map(life.tgid, notes_); map.file) {
            path = map.path;
            return read_map(map.file, addresses);
        }
    if (life.dump)
        notes_.warn("process " + std::to_string(life.tgid) + " has the names of the code that it made in " +
                    printable(life.dump->path) +
                    ", which is not here; give the directory with its copy by --jit-dir");
    return {};
}

void ImportedCode::note_ambiguous() {
    if (files_.places().has_dump_times || std::exchange(has_noted_clock_, true)) return;
    notes_.warn(
        "samples do not have the clock of jitdumps: only in recordings of perf record -k mono is it known "
        "which "
        "of several functions at an address ran");
}

}  // namespace op::collect
