// SPDX-License-Identifier: GPL-2.0-or-later
// The collector with its cache of lookups, compared with one whose cache is cleared before each sample.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "tests/unit/collecting.h"

namespace op::collect {
namespace {

constexpr std::array<std::string_view, 4> paths{"/bin/a", "/bin/b", "/lib/c.so", "//anon"};
/// Two have the same place in the process table's account of changes.
constexpr std::array<uint32_t, 5> processes{7, 8, 9, 7 + 1024, 0};
constexpr uint64_t page = 4096, modules = 0xffffffffc0000000;

/// A random life of few processes in few places, so that everything is used again.
class Life {
public:
    explicit Life(uint32_t seed) : random_(seed) {
        for (uint32_t cookie = 1; cookie <= paths.size(); ++cookie)
            records_.push_back(ImageCookie{cookie, false, 0, {0}, 0, 0, cookie, paths[cookie - 1]});
        while (records_.size() < 4000)
            records_.push_back(roll(3) ? sample() : change());
    }
    const std::vector<Record>& records() const { return records_; }
    /// What a look at a process finds.
    std::span<const Record> look(uint32_t tgid) {
        const std::string_view path = paths[tgid % 3];
        found_ = {Name{0, tgid, tgid, true, path.substr(5)},
                  Mapping{0, tgid, {page}, page, 0, false, path, {}}};
        return found_;
    }

private:
    uint32_t roll(uint32_t sides) { return random_() % sides; }
    uint32_t process() { return processes[roll(processes.size())]; }
    std::string_view path() { return paths[roll(paths.size())]; }
    RuntimeAddress place() { return {page * (1 + roll(6))}; }
    RuntimeAddress kernel_place() { return {modules + page * roll(6)}; }

    Record sample() {
        const uint32_t tgid = process();
        const auto event = static_cast<uint16_t>(roll(2));
        const bool kernel = roll(4) == 0;
        const CpuMode mode = kernel ? CpuMode::kernel : CpuMode::user;
        const RuntimeAddress pc = kernel ? kernel_place() : place();
        if (tgid == 0 || roll(4) != 0) return Sample{time_, tgid, tgid, roll(2), event, mode, 0, pc, {}};
        const uint32_t cookie = roll(3);
        return PlacedSample{
            tgid, tgid, roll(2), roll(3), event, mode, 0, {cookie ? page * roll(3) : pc.value(), cookie}, {}};
    }

    Record change() {
        time_ += 100'000'000;  // the ended are forgotten after two seconds
        const uint32_t tgid = process(), parent = process();
        switch (roll(16)) {
            case 0:
                return Mapping{time_, 0, kernel_place(), page, 0, true, roll(2) ? "m" : "n", {}};
            case 1:
                return Unmapping{time_, tgid, place(), page * (1 + roll(3))};
            case 2:
            case 3:
                return Name{time_, tgid, tgid, true, path().substr(5)};
            case 4:
                return Name{time_, tgid, tgid, false, path().substr(5)};
            case 5:
            case 6:
                return Fork{time_, tgid, tgid, parent, parent};
            case 7:
            case 8:
                return Exit{time_, tgid, tgid};
            case 9:
                return roll(4) ? change() : Record(LostSideBand{1});
            default:
                return Mapping{time_, tgid, place(), page * (1 + roll(3)), page * roll(3), false, path(), {}};
        }
    }

    std::mt19937 random_;
    uint64_t time_ = 1;
    std::vector<Record> records_, found_;
};

class Cached : public Collecting {
protected:
    /// What is left of a life: the sample files, the account and the names.
    struct Outcome {
        std::vector<std::string> files;
        Ledger ledger;
        RecordedNames names;
        uint64_t unsure;

        bool operator==(const Outcome&) const = default;
    };

    /// With `clearing` no lookup is kept from one sample to the next.
    Outcome live(const CollectorOptions& options, uint32_t seed, bool clearing) {
        session_.begin(false);
        Life life(seed);
        collector(options, [&](const Sample& sample, Gap gap) -> std::optional<std::span<const Record>> {
            if (gap == Gap::module || gap == Gap::mapping) return std::nullopt;
            return life.look(sample.tgid);
        });
        for (uint32_t i = 0; const Record& record : life.records()) {
            // A cookie with another image than before clears the cache.
            if (clearing) feed({ImageCookie{99, false, 0, {0}, 0, 0, ++i % 2 + 1, "/other"}});
            feed({record});
        }
        std::vector<std::string> lines = files();
        return {std::move(lines), account_.ledger, account_.names, account_.unsure_samples};
    }
};

}  // namespace

TEST_F(Cached, samples_are_stored_as_without_the_cache) {
    for (uint32_t seed = 0; seed < 8; ++seed) {
        CollectorOptions options;
        if (seed % 3 == 1) options.separation = by_thread_and_cpu;
        if (seed % 4 == 1) options.open_files = 3;
        if (seed % 4 == 2) options.only_images = {"/bin/a"};
        const Outcome with = live(options, seed, false), without = live(options, seed, true);
        ASSERT_GT(with.files.size(), 3u);
        ASSERT_GT(with.ledger.stored(), with.ledger.sampled() / 10);
        std::vector<std::string> differences;
        std::ranges::set_symmetric_difference(with.files, without.files, std::back_inserter(differences));
        ASSERT_EQ(differences, std::vector<std::string>()) << "seed " << seed;
        ASSERT_TRUE(with == without) << "seed " << seed;
    }
}

}  // namespace op::collect
