// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/object/plt_stubs.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "libop/base/elf_object.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "tests/unit/fixtures.h"

namespace op::pp {
namespace {

using Lines = std::vector<std::string>;

constexpr Machine x86_64{EM_X86_64, true, false}, aarch64{EM_AARCH64, true, false};

/// The sections of a file that calls read, write and close, in this order, by slots of 8 bytes at 0x3000.
class Calls {
public:
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;
    Calls() {
        std::string symbols(sizeof(Elf64_Sym), '\0'), names(1, '\0');
        for (const char* name : {"read", "write", "close"}) {
            Elf64_Sym symbol{};
            symbol.st_name = static_cast<Elf64_Word>(names.size());
            append(symbols, symbol);
            names += name + std::string(1, '\0');
        }
        add(".dynsym", 0, symbols, false);
        add(".dynstr", 0, names, false);
    }

    template <class T>
    static void append(std::string& bytes, const T& value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void add(const char* name, uint64_t address, std::string bytes, bool is_code) {
        const std::string& kept = bytes_.emplace_back(std::move(bytes));
        sections_.push_back({name, {address}, 0, kept.size(), is_code, true, as_bytes(kept)});
    }
    /// A relocation of each of the slots from 0x3000 on: the symbol's index and the addend.
    void relocate(const char* section, uint32_t type, std::vector<std::pair<uint32_t, int64_t>> slots) {
        std::string bytes;
        for (uint64_t slot = 0x3000; const auto& [symbol, addend] : slots) {
            append(bytes, Elf64_Rela{slot, ELF64_R_INFO(uint64_t{symbol}, type), addend});
            slot += 8;
        }
        add(section, 0, bytes, false);
    }
    Lines stubs(const Machine& machine, const std::vector<RawSymbol>& symbols = {}) const {
        Lines lines;
        const PltStubs stubs(machine, sections_, symbols);
        for (const RawSymbol& stub : stubs.symbols())
            lines.push_back(hex(stub.address.value()) + " " + std::string(stub.name));
        return lines;
    }

private:
    std::deque<std::string> bytes_;
    std::vector<Section> sections_;
};

/// `code` at `at` in a section, and `filler` up to the next multiple of `size`.
void put(std::string& section, std::initializer_list<int> code, size_t size, char filler = '\x90') {
    for (const int byte : code)
        section += static_cast<char>(byte);
    section.resize((section.size() + size - 1) / size * size, filler);
}

/// jmp *slot(%rip) at the end of a section at `start`.
void put_jump(std::string& section, uint64_t start, uint64_t slot, size_t size) {
    section += "\xff\x25";
    const auto distance = static_cast<int32_t>(slot - (start + section.size() + 4));
    Calls::append(section, distance);
    put(section, {}, size);
}

void put_words(std::string& section, std::initializer_list<uint32_t> words) {
    for (const uint32_t word : words)
        Calls::append(section, word);
}

}  // namespace

TEST(PltStubs, of_x86_are_named_by_the_slots_they_jump_through) {
    Calls calls;
    calls.relocate(".rela.plt", R_X86_64_JUMP_SLOT, {{1, 0}, {2, 0}, {3, 0}});
    std::string plt;
    put(plt, {0xff, 0x35, 0, 0, 0, 0}, 16);
    put_jump(plt, 0x1000, 0x3010, 16);
    put_jump(plt, 0x1000, 0x3000, 16);
    calls.add(".plt", 0x1000, plt, true);
    std::string got;
    put_jump(got, 0x1100, 0x3008, 8);
    put_jump(got, 0x1100, 0x3000, 8);
    calls.add(".plt.got", 0x1100, got, true);
    EXPECT_EQ(calls.stubs(x86_64),
              (Lines{"1010 close@plt", "1020 read@plt", "1100 write@plt", "1108 read@plt"}));
    EXPECT_EQ(calls.stubs(aarch64), Lines{});
    EXPECT_EQ(calls.stubs({EM_X86_64, true, true}), Lines{}) << "of the other byte order";
    EXPECT_EQ(calls.stubs({EM_386, false, false}), Lines{});
}

// With indirect branch tracking .plt pushes the relocation's index, and .plt.sec jumps through the slot.
TEST(PltStubs, with_branch_tracking_are_named_in_both_sections) {
    Calls calls;
    calls.relocate(".rela.plt", R_X86_64_JUMP_SLOT, {{1, 0}, {2, 0}});
    std::string plt, second;
    put(plt, {0xff, 0x35, 0, 0, 0, 0, 0xf2, 0xff, 0x25, 0, 0, 0, 0}, 16);
    put(plt, {0xf3, 0x0f, 0x1e, 0xfa, 0x68, 1, 0, 0, 0, 0xf2, 0xe9, 0, 0, 0, 0}, 16);
    put(plt, {0xf3, 0x0f, 0x1e, 0xfa, 0x68, 9, 0, 0, 0, 0xf2, 0xe9, 0, 0, 0, 0}, 16);
    calls.add(".plt", 0x1000, plt, true);
    second = "\xf3\x0f\x1e\xfa\xf2";
    put_jump(second, 0x1100, 0x3000, 16);
    calls.add(".plt.sec", 0x1100, second, true);
    EXPECT_EQ(calls.stubs(x86_64), (Lines{"1010 write@plt", "1020 ", "1100 read@plt"}));
}

TEST(PltStubs, that_lead_to_no_known_slot_do_not_belong_to_the_one_before) {
    Calls calls;
    calls.relocate(".rela.dyn", R_X86_64_GLOB_DAT, {{1, 0}, {0, 0}, {99, 0}});
    std::string plt;
    for (const uint64_t slot : {0x3000, 0x4000, 0x5000, 0x3000, 0x3008, 0x3010})
        put_jump(plt, 0x1000, slot, 8);
    calls.add(".plt.got", 0x1000, plt, true);
    EXPECT_EQ(calls.stubs(x86_64), (Lines{"1000 read@plt", "1008 ", "1018 read@plt", "1020 "}));
}

TEST(PltStubs, of_functions_chosen_at_run_time_have_the_name_at_their_resolver) {
    Calls calls;
    calls.relocate(".rela.plt", R_X86_64_IRELATIVE, {{0, 0x2000}, {0, 0x2100}});
    std::string plt;
    put_jump(plt, 0x1000, 0x3000, 16);
    put_jump(plt, 0x1000, 0x3008, 16);
    calls.add(".iplt", 0x1000, plt, true);
    EXPECT_EQ(calls.stubs(x86_64, {{{0x2000}, 1, "memcpy", true, false}}),
              (Lines{"1000 memcpy@plt", "1010 *ABS*+0x2100@plt"}));
}

TEST(PltStubs, of_aarch64_may_begin_with_a_landing_pad) {
    Calls calls;
    calls.relocate(".rela.plt", R_AARCH64_JUMP_SLOT, {{1, 0}, {2, 0}, {3, 0}});
    std::string plt;
    put_words(plt, {0xa9bf7bf0, 0xd0000010, 0xf9400e11, 0x91006210, 0xd61f0220, 0xd503201f, 0xd503201f,
                    0xd503201f});
    put_words(plt, {0xd0000010, 0xf9400a11, 0x91004210, 0xd61f0220});              // 0x1020: close
    put_words(plt, {0xd503245f, 0xd0000010, 0xf9400211, 0x91000210, 0xd61f0220});  // 0x1030: read
    put_words(plt, {0xd0000010, 0xf9408211, 0x91000210, 0xd61f0220});              // 0x1044: no slot
    put_words(plt, {0xd0000010, 0xf9400611, 0x91000210, 0xd61f0220});              // 0x1054: write
    put_words(plt, {0xa9bf0fe2, 0xb0000002, 0xb0000003});  // 0x1064: a TLS descriptor's
    calls.add(".plt", 0x1000, plt, true);
    EXPECT_EQ(calls.stubs(aarch64),
              (Lines{"1020 close@plt", "1030 read@plt", "1044 ", "1054 write@plt", "1064 "}));
}

TEST(PltStubs, may_lie_above_their_slots) {
    Calls calls;
    calls.relocate(".rela.plt", R_AARCH64_JUMP_SLOT, {{1, 0}});
    std::string plt;
    put_words(plt, {0xf0fffff0, 0xf9400211});  // adrp of the page before
    calls.add(".plt", 0x4000, plt, true);
    EXPECT_EQ(calls.stubs(aarch64), (Lines{"4000 read@plt"}));
}

TEST(PltStubs, cut_off_anywhere_are_those_that_are_whole) {
    std::string plt;
    put_jump(plt, 0x1000, 0x3000, 16);
    for (size_t n = 0; n <= plt.size(); ++n) {
        Calls calls;
        calls.relocate(".rela.plt", R_X86_64_JUMP_SLOT, {{1, 0}});
        calls.add(".plt", 0x1000, plt.substr(0, n), true);
        EXPECT_EQ(calls.stubs(x86_64), n < 6 ? Lines{} : Lines{"1000 read@plt"}) << n << " bytes";
    }
}

TEST(PltStubs, of_a_stripped_library_are_read) {
    const MappedFile file(test::fixture("root/usr/lib/libcalls.so"));
    const auto object = open_elf(file.bytes(), "libcalls.so");
    const PltStubs stubs(machine_of(file.bytes()).value(), object->sections(), object->symbols(true));
    Lines names;
    for (const RawSymbol& stub : stubs.symbols())
        names.emplace_back(stub.name);
    EXPECT_EQ(names, (Lines{"_Znwm@plt", "read@plt", "choose@plt", "close@plt"}));
}

}  // namespace op::pp
