// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/process_table.h"

#include <gtest/gtest.h>

#include <variant>
#include <vector>

namespace op::collect {
namespace {

Mapping mapping(uint32_t tgid, uint64_t start, uint64_t length, std::string_view path, uint64_t offset = 0) {
    return {0, tgid, {start}, length, offset, false, path, {}};
}

class Processes : public ::testing::Test {
protected:
    ProcessTable table;

    std::string_view at(uint32_t tgid, uint64_t pc) const {
        const Region* r = table.find_user(tgid, {pc});
        return r ? std::string_view(r->image->name) : "none";
    }
    std::string_view executable(uint32_t tgid) const {
        const Process* p = table.find(tgid);
        return p && p->executable ? std::string_view(p->executable->name) : "none";
    }
    template <class R>
    void apply(const R& record) {
        if constexpr (requires { table.apply(record); }) table.apply(record);
    }
    void exec(uint32_t tgid, std::string_view path) {
        table.apply(Name{0, tgid, tgid, true, "x"});
        table.apply(mapping(tgid, 0x1000, 0x1000, path));
    }
};

}  // namespace

TEST_F(Processes, the_first_mapping_after_exec_is_the_executable) {
    exec(7, "/usr/bin/app");
    table.apply(mapping(7, 0x8000, 0x1000, "/lib/ld.so"));
    EXPECT_EQ(executable(7), "/usr/bin/app");
    EXPECT_EQ(at(7, 0x8000), "/lib/ld.so");
}

TEST_F(Processes, a_program_in_a_memfd_is_a_file) {
    exec(7, "/memfd:hidden/part (deleted)");
    table.apply(mapping(7, 0x8000, 0x1000, "/lib/ld.so"));
    EXPECT_EQ(executable(7), "/memfd:hidden_part");
    const Region* text = table.find_user(7, {0x1010});
    EXPECT_EQ(text->kind, RegionKind::file);
    EXPECT_EQ(text->image->name, "/memfd:hidden_part");
    table.apply(mapping(7, 0x9000, 0x1000, "/memfd:jit (deleted)", 0x4000));
    EXPECT_EQ(at(7, 0x9000), "anon") << "what a program keeps in other memory is not";
    EXPECT_EQ(table.find_user(7, {0x9000})->file_offset, 0u);
}

TEST_F(Processes, programs_in_memfds_of_one_name_are_different_files) {
    const std::byte one[] = {std::byte{1}}, two[] = {std::byte{2}};
    for (const auto& [tgid, build_id] : {std::pair(7u, std::span(one)), std::pair(8u, std::span(two))}) {
        table.apply(Name{0, tgid, tgid, true, "x"});
        Mapping program = mapping(tgid, 0x1000, 0x1000, "/memfd:x (deleted)");
        program.build_id = build_id;
        table.apply(program);
    }
    const Region *const a = table.find_user(7, {0x1000}), *const b = table.find_user(8, {0x1000});
    EXPECT_NE(a->image, b->image);
    EXPECT_EQ(a->image->build_id, "01");
    EXPECT_EQ(b->image->build_id, "02");
    EXPECT_TRUE(a->image->is_file);
}

TEST_F(Processes, neither_vdso_nor_nameless_memory_is_an_executable) {
    table.apply(Name{0, 7, 7, true, "x"});
    for (const char* path : {"//anon", "[vdso]", "/dev/zero (deleted)"})
        table.apply(mapping(7, 0x7000, 0x1000, path));
    EXPECT_EQ(executable(7), "none");
    table.apply(mapping(7, 0x1000, 0x1000, "/usr/bin/app"));
    EXPECT_EQ(executable(7), "/usr/bin/app");
}

TEST_F(Processes, a_forked_child_inherits_and_diverges) {
    exec(7, "/usr/bin/app");
    table.apply(Fork{0, 8, 8, 7, 7});
    EXPECT_EQ(at(8, 0x1000), "/usr/bin/app");
    table.apply(mapping(8, 0x1000, 0x1000, "/lib/other.so"));
    EXPECT_EQ(at(8, 0x1000), "/lib/other.so");
    EXPECT_EQ(at(7, 0x1000), "/usr/bin/app");
    EXPECT_EQ(executable(8), "/usr/bin/app");
}

TEST_F(Processes, exec_forgets_the_old_program) {
    exec(7, "/usr/bin/sh");
    table.apply(mapping(7, 0x9000, 0x1000, "/lib/libc.so"));
    exec(7, "/usr/bin/ls");
    EXPECT_EQ(executable(7), "/usr/bin/ls");
    EXPECT_EQ(at(7, 0x9000), "none");
}

TEST_F(Processes, until_the_new_program_is_mapped_exec_runs_for_the_old_one) {
    exec(7, "/usr/bin/sh");
    table.apply(Name{0, 7, 7, true, "ls"});
    EXPECT_EQ(executable(7), "/usr/bin/sh");
    table.apply(mapping(7, 0x1000, 0x1000, "/usr/bin/ls"));
    EXPECT_EQ(executable(7), "/usr/bin/ls");
}

TEST_F(Processes, an_ended_process_is_known_for_its_last_samples_and_then_forgotten) {
    exec(7, "/usr/bin/app");
    table.apply(Exit{1'000'000'000, 7, 7});
    EXPECT_EQ(at(7, 0x1000), "/usr/bin/app");
    exec(9, "/usr/bin/other");
    table.apply(Exit{9'000'000'000, 9, 9});
    EXPECT_EQ(table.find(7), nullptr);
}

TEST_F(Processes, a_process_lives_until_its_last_thread_ends) {
    exec(7, "/usr/bin/app");
    table.apply(Fork{0, 7, 70, 7, 7});
    table.apply(Exit{1, 7, 7});
    exec(9, "/usr/bin/other");
    table.apply(Exit{9'000'000'000, 9, 9});
    EXPECT_EQ(executable(7), "/usr/bin/app");
}

TEST_F(Processes, the_end_of_a_thread_never_seen_is_not_the_end_of_the_process) {
    exec(7, "/usr/bin/app");
    table.apply(Exit{1, 7, 70});
    table.apply(Exit{1, 7, 71});
    exec(9, "/usr/bin/other");
    table.apply(Exit{9'000'000'000, 9, 9});
    EXPECT_EQ(executable(7), "/usr/bin/app");
    table.apply(Exit{9'000'000'001, 7, 7});
    exec(9, "/usr/bin/other");
    table.apply(Exit{19'000'000'000, 9, 9});
    EXPECT_EQ(executable(7), "none");
}

TEST_F(Processes, only_threads_that_were_seen_have_names) {
    exec(7, "/bin/app");
    table.apply(Fork{0, 7, 71, 7, 7});
    table.apply(Exit{1, 7, 71});
    for (uint32_t tid = 71; tid < 80; ++tid)
        table.apply(Name{2, 7, tid, false, "late"});
    EXPECT_TRUE(table.find(7)->thread_names.empty());
    EXPECT_EQ(table.left_out_thread_names(), 9u);
}

TEST_F(Processes, names_of_threads_are_bounded_and_the_rest_is_counted) {
    constexpr uint32_t most = Process::most_thread_names, more = 3;
    exec(7, "/bin/app");
    for (uint32_t tid = 100; tid < 100 + most + more; ++tid)
        table.apply(Fork{0, 7, tid, 7, 7});
    table.apply(Name{0, 7, 7, false, "renamed"});
    EXPECT_EQ(table.find(7)->thread_names.size(), most);
    EXPECT_EQ(table.left_out_thread_names(), more);
    uint32_t of_old_name = 0, unknown = 0;
    for (uint32_t tid = 100; tid < 100 + most + more; ++tid) {
        of_old_name += table.find(7)->name_of(tid) == "x";
        unknown += table.find(7)->name_of(tid).empty();
    }
    EXPECT_EQ(of_old_name, most);
    EXPECT_EQ(unknown, more) << "no name is better than a wrong one";
    table.begin_run();
    EXPECT_EQ(table.left_out_thread_names(), 0u);
}

TEST_F(Processes, a_change_of_a_process_leaves_lookups_of_others_valid) {
    exec(7, "/bin/app");
    exec(8, "/bin/other");
    const uint32_t of_8 = table.generation(8);
    const std::vector<Record> changes{mapping(7, 0x5000, 0x1000, "/lib/c.so"),
                                      Unmapping{0, 7, {0x5000}, 0x800}, Name{0, 7, 7, false, "renamed"},
                                      Name{0, 7, 7, true, "next"}, Fork{0, 7, 7, 8, 8}};
    for (const Record& change : changes) {
        const uint32_t all = table.generation(), of_7 = table.generation(7);
        std::visit([&](const auto& record) { apply(record); }, change);
        EXPECT_NE(table.generation(), all) << change.index();
        EXPECT_NE(table.generation(7), of_7) << change.index();
        EXPECT_EQ(table.generation(8), of_8) << change.index();
    }
    table.forget(7);
    EXPECT_EQ(table.generation(8), of_8);
}

TEST_F(Processes, a_change_of_the_kernel_or_a_loss_ends_lookups_of_all) {
    exec(7, "/bin/app");
    uint32_t of_7 = table.generation(7);
    table.apply(Mapping{0, 0, {0xffffffffc0000000}, 0x1000, 0, true, "ext4", {}});
    EXPECT_NE(table.generation(7), of_7);
    of_7 = table.generation(7);
    table.lose_track();
    EXPECT_NE(table.generation(7), of_7);
}

TEST_F(Processes, a_reused_process_number_is_not_buried_with_its_first_owner) {
    exec(7, "/usr/bin/app");
    table.apply(Exit{1, 7, 7});
    exec(1, "/sbin/init");
    table.apply(Fork{2, 7, 7, 1, 1});
    exec(9, "/usr/bin/other");
    table.apply(Exit{9'000'000'000, 9, 9});
    EXPECT_EQ(executable(7), "/sbin/init");
}

TEST_F(Processes, ten_thousand_children_do_not_pile_up) {
    exec(1, "/usr/bin/app");
    for (uint32_t i = 0; i < 10'000; ++i) {
        table.apply(Fork{i, 100 + i, 100 + i, 1, 1});
        table.apply(Exit{i, 100 + i, 100 + i});
    }
    EXPECT_LT(table.size(), 5000u);
}

TEST_F(Processes, mappings_whose_ends_nobody_reports_do_not_pile_up) {
    exec(7, "/usr/bin/app");
    for (uint64_t i = 1; i <= 70'000; ++i)
        table.apply(mapping(7, i << 13, 0x1000, "/lib/x.so"));
    EXPECT_EQ(table.left_out_mappings(), 65'537u) << "one more than there may be";
    EXPECT_EQ(at(7, 70'000 << 13), "/lib/x.so");
    EXPECT_EQ(at(7, 1 << 13), "none");
    EXPECT_EQ(executable(7), "/usr/bin/app");
}

TEST_F(Processes, the_parts_that_unmappings_leave_do_not_pile_up) {
    exec(7, "/usr/bin/app");
    table.apply(mapping(7, 1 << 13, uint64_t{70'001} << 13, "/lib/x.so"));
    for (uint64_t i = 2; i <= 70'000; ++i)
        table.apply(Unmapping{0, 7, {i << 13}, 0x1000});
    EXPECT_GT(table.left_out_mappings(), 65'536u);
}

TEST_F(Processes, who_has_the_most_mappings_loses_them_when_there_is_no_room) {
    const std::string path = "/" + std::string(4000, 'x');
    exec(7, "/usr/bin/app");
    exec(8, "/usr/bin/large");
    table.apply(Fork{0, 9, 9, 8, 8});
    table.apply(mapping(9, 0x5000, 0x1000, "/lib/own.so"));
    for (uint64_t i = 1; i <= 20'000; ++i)
        table.apply(mapping(8, i << 13, 0x1000, path));
    table.apply(Fork{0, 10, 10, 8, 8});
    exec(11, "/usr/bin/late");
    const uint32_t of_10 = table.generation(10);
    uint64_t i = 0;
    while (table.left_out_mappings() == 0)
        table.apply(mapping(11, ++i << 13, 0x1000, path));
    EXPECT_EQ(table.left_out_mappings(), 20'001u);
    EXPECT_EQ(at(8, 0x2000), "none");
    EXPECT_EQ(at(10, 0x2000), "none") << "it shares them";
    EXPECT_NE(table.generation(10), of_10);
    EXPECT_EQ(at(9, 0x1000), "/usr/bin/large") << "the child from before has its own";
    EXPECT_EQ(at(7, 0x1000), "/usr/bin/app");
    EXPECT_EQ(at(11, i << 13), path);
}

TEST_F(Processes, a_child_of_a_process_with_very_many_mappings_does_not_get_a_copy) {
    exec(7, "/usr/bin/app");
    for (uint64_t i = 1; i <= 5000; ++i)
        table.apply(mapping(7, i << 13, 0x1000, "/lib/x.so"));
    table.apply(Fork{0, 8, 8, 7, 7});
    EXPECT_EQ(at(8, 1 << 13), "/lib/x.so");
    table.apply(mapping(8, 0x1000, 0x1000, "/lib/own.so"));
    EXPECT_EQ(at(8, 0x1000), "/lib/own.so");
    EXPECT_EQ(at(8, 1 << 13), "none");
    EXPECT_EQ(table.left_out_mappings(), 5001u);
    EXPECT_EQ(at(7, 1 << 13), "/lib/x.so");
}

TEST_F(Processes, names_that_nothing_maps_any_more_are_forgotten) {
    for (uint32_t i = 0; i < 100'000; ++i) {
        table.apply(Name{i, 10 + i, 10 + i, true, "x"});
        table.apply(mapping(10 + i, 0x1000, 0x1000, "/tmp/program" + std::to_string(i)));
        table.apply(Exit{i, 10 + i, 10 + i});
    }
    EXPECT_LT(table.images(), 20'000u);
}

TEST_F(Processes, known_kernel_images_lie_on_top_of_the_rest) {
    table.apply(Mapping{0, 0, {0}, UINT64_MAX, 0, true, "no-vmlinux", {}});
    table.apply(Mapping{0, 0, {0xffffffff81000000}, 0x1000, 0, true, "/proc/kallsyms", {}});
    EXPECT_EQ(table.find_kernel({0xffffffff81000010})->image->name, "/proc/kallsyms");
    const Region* rest = table.find_kernel({0xffffffff90000000});
    EXPECT_EQ(rest->image->name, "no-vmlinux");
}

TEST(MappedPath, distinguishes_files_from_memory) {
    EXPECT_EQ(classify_mapped_path("/usr/bin/ls").kind, RegionKind::file);
    EXPECT_EQ(classify_mapped_path("[heap]").name, "[heap]");
    for (const char* path : {"", "//anon", "/memfd:jit (deleted)", "/dev/zero (deleted)",
                             "/SYSV00000000 (deleted)", "/anon_hugepage (deleted)"})
        EXPECT_EQ(classify_mapped_path(path).name, "anon") << path;
    const MappedPath gone = classify_mapped_path("/usr/bin/ls (deleted)");
    EXPECT_EQ(gone.name, "/usr/bin/ls");
    EXPECT_TRUE(gone.deleted);
}

}  // namespace op::collect
