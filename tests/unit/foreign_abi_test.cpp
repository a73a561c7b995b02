// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/foreign_abi.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/session/session_statistics.h"

namespace op {

namespace {

/// The description of a big-endian 32-bit machine that aligns 8-byte numbers to 8.
const std::string big_abi =
    "sizeof_odb_key_t 8\nsizeof_odb_value_t 4\nsizeof_odb_node_t 16\nsizeof_odb_descr_t 32\n"
    "sizeof_struct_opd_header 72\noffsetof_node_key 0\noffsetof_node_value 8\noffsetof_node_next 12\n"
    "offsetof_descr_size 0\noffsetof_descr_current_size 4\noffsetof_header_magic 0\noffsetof_header_version "
    "4\n"
    "offsetof_header_cpu_type 8\noffsetof_header_ctr_event 12\noffsetof_header_ctr_um 16\n"
    "offsetof_header_ctr_count 20\noffsetof_header_is_kernel 24\noffsetof_header_cpu_speed 32\n"
    "offsetof_header_mtime 40\noffsetof_header_cg_to_is_kernel 48\noffsetof_header_anon_start 56\n"
    "offsetof_header_cg_to_anon_start 64\nlittle_endian 0\n";

void put(std::string& bytes, uint64_t value, int size) {
    for (int i = size - 1; i >= 0; --i)
        bytes += static_cast<char>(value >> (8 * i));
}

/// A sample file of that machine with two entries.
std::string big_file(uint32_t version = 0x13) {
    std::string bytes = "DAE\n";
    for (const uint32_t value : {version, 4u, 1u, 2u, 1000u, 1u, 0u})
        put(bytes, value, 4);
    put(bytes, 0x4093480000000000, 8);  // 1234.0
    put(bytes, 1700000000, 8);
    put(bytes, 1, 4);
    put(bytes, 0, 4);
    put(bytes, 0x7f1234567000, 8);
    put(bytes, 0x500000000, 8);
    for (const uint32_t value : {128u, 3u, 0u, 0u, 0u, 0u, 0u, 0u})
        put(bytes, value, 4);
    bytes.append(16, '\0');
    for (const uint64_t key : {uint64_t{0x100}, uint64_t{0x20000000300}}) {
        put(bytes, key, 8);
        put(bytes, 7, 4);
        put(bytes, 0, 4);
    }
    bytes.resize(72 + 32 + 128 * 20);
    return bytes;
}

SampleFileContent parse(const std::string& bytes, Diagnostics& notes, const std::string& abi = big_abi) {
    return ForeignAbi(abi, "abi").parse(as_bytes(bytes), "f", notes);
}

bool is_refused(const std::string& bytes, const std::string& abi = big_abi) {
    Diagnostics notes;
    try {
        parse(bytes, notes, abi);
    } catch (const Error& error) {
        return error.kind() == ErrorKind::input;
    }
    return false;
}

std::string without(std::string text, const std::string& line) {
    return text.erase(text.find(line), line.size());
}

}  // namespace

TEST(ForeignAbi, reads_the_other_byte_order_with_all_64_bits) {
    Diagnostics notes;
    const auto content = parse(big_file(), notes);
    EXPECT_TRUE(notes.warnings().empty());
    EXPECT_EQ(content.header,
              (SampleHeader{4, 1, 2, 1000, true, 1234.0, 1700000000, true, 0x7f1234567000, 0x500000000}));
    const std::vector<SampleEntry> entries{{0x100, 7}, {0x20000000300, 7}};
    EXPECT_EQ(content.entries, entries);
    EXPECT_EQ(content.total, 14u);
}

TEST(ForeignAbi, descriptions_with_equal_values_are_equal) {
    EXPECT_EQ(ForeignAbi(abi_text(), "abi"), ForeignAbi(abi_text(), "abi"));
    EXPECT_FALSE(ForeignAbi(abi_text(), "abi") == ForeignAbi(big_abi, "abi"));
}

TEST(ForeignAbi, a_file_that_is_cut_off_gives_what_is_there) {
    Diagnostics notes;
    EXPECT_EQ(parse(big_file().substr(0, 72 + 32 + 2 * 16), notes).total, 7u);
    EXPECT_EQ(notes.warnings().size(), 1u);
}

TEST(ForeignAbi, other_files_are_refused) {
    EXPECT_TRUE(is_refused(""));
    EXPECT_TRUE(is_refused(big_file().substr(0, 80)));
    EXPECT_TRUE(is_refused("X" + big_file()));
    EXPECT_TRUE(is_refused(big_file(0x14)));
}

TEST(ForeignAbi, a_malformed_description_is_refused) {
    EXPECT_TRUE(is_refused(big_file(), "noise"));
    EXPECT_TRUE(is_refused(big_file(), without(big_abi, "little_endian 0\n")));
    EXPECT_TRUE(is_refused(big_file(), without(big_abi, "sizeof_odb_node_t 16\n") + "sizeof_odb_node_t 0\n"));
    EXPECT_TRUE(is_refused(big_file(), without(big_abi, "sizeof_odb_key_t 8\n") + "sizeof_odb_key_t 3\n"));
    EXPECT_TRUE(is_refused(big_file(),
                           without(big_abi, "offsetof_header_mtime 40\n") + "offsetof_header_mtime 70\n"));
}

}  // namespace op
