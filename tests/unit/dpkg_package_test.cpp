// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/dpkg_package.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "tests/unit/temp_dir.h"

namespace op::fleet {
namespace {

/// A machine on which the package "tool" has installed /usr/bin/tool with the content "abc".
class DpkgPackage : public testing::Test {
protected:
    DpkgPackage() {
        write_database("info/tool.list", "/.\n/usr\n/usr/bin\n/usr/bin/tool\n/usr/bin/tools\n");
        write_database("info/tool.md5sums", std::string(digest_of_other) + "  usr/bin/tools\n" +
                                                std::string(digest_of_abc) + "  usr/bin/tool\n");
        write_status("Status: install ok installed");
    }

    void write_database(const std::string& name, const std::string& content) {
        root_.write("var/lib/dpkg/" + name, content);
    }
    void write_status(const std::string& status, const std::string& architecture = "amd64") {
        write_database("status",
                       "Package: tool-doc\nStatus: install ok installed\nVersion: 7\n\nPackage: tool\n" +
                           status + "\nArchitecture: " + architecture +
                           "\nVersion: 1:2.3-4+b1\nConffiles:\n Version: 9\nDescription: x\n\n"
                           "Package: toolbox\nStatus: install ok installed\nVersion: 8\n");
    }
    std::optional<Package> package(const std::string& path, std::string_view content = "abc") {
        return dpkg_package(root_.path(), path, open_file(root_.write("content", content), O_RDONLY));
    }

    static constexpr const char* digest_of_abc = "900150983cd24fb0d6963f7d28e17f72";
    static constexpr const char* digest_of_other = "0cc175b9c0f1b6a831c399e269772661";
    const Package tool_{"tool", "1:2.3-4+b1"};
    test::TempDir root_;
};

}  // namespace

TEST_F(DpkgPackage, is_found_with_its_version) {
    EXPECT_EQ(package("/usr/bin/tool"), tool_);
    EXPECT_EQ(package("/bin/tool"), tool_) << "/bin may be a link to /usr/bin";
    EXPECT_FALSE(package("usr/bin/tool"));
    EXPECT_FALSE(package("/usr/bin/too"));
    EXPECT_FALSE(package("/opt/tool"));
    EXPECT_FALSE(package(""));
}

TEST_F(DpkgPackage, is_not_that_of_another_content) {
    EXPECT_FALSE(package("/usr/bin/tool", "abd"));
    EXPECT_FALSE(package("/usr/bin/tools"));
    EXPECT_TRUE(package("/usr/bin/tools", "a"));
}

TEST_F(DpkgPackage, a_diverted_path_is_never_of_the_wrong_package) {
    // Another package has put a file of its own, "a", at the path; that of "tool" is beside it.
    for (const std::string other : {"before", "zafter"}) {
        write_database("info/" + other + ".list", "/usr/bin/tool\n/usr/bin/tool.real\n");
        write_database("info/" + other + ".md5sums", std::string(digest_of_other) + "  usr/bin/tool\n");
        write_database("status", "Package: tool\nStatus: install ok installed\nVersion: 1\n\nPackage: " +
                                     other + "\nStatus: install ok installed\nVersion: 2\n");
        EXPECT_FALSE(package("/usr/bin/tool.real")) << other;
        const auto replacement = package("/usr/bin/tool", "a");
        EXPECT_TRUE(!replacement || replacement->name == other) << other;
        std::filesystem::remove(root_ / ("var/lib/dpkg/info/" + other + ".list"));
    }
}

TEST_F(DpkgPackage, has_to_be_installed) {
    for (const char* const status :
         {"Status: deinstall ok config-files", "Status: install ok half-installed", "Homepage: installed"}) {
        write_status(status);
        EXPECT_FALSE(package("/usr/bin/tool")) << status;
    }
    write_database("status", "Package: toolbox\nStatus: install ok installed\nVersion: 8\n");
    EXPECT_FALSE(package("/usr/bin/tool"));
}

TEST_F(DpkgPackage, may_have_its_architecture_in_the_names_of_lists) {
    for (const char* const kind : {"list", "md5sums"})
        std::filesystem::rename(root_ / (std::string("var/lib/dpkg/info/tool.") + kind),
                                root_ / (std::string("var/lib/dpkg/info/tool:i386.") + kind));
    EXPECT_FALSE(package("/usr/bin/tool"));
    write_status("Status: install ok installed", "i386");
    EXPECT_EQ(package("/usr/bin/tool"), tool_);
}

TEST_F(DpkgPackage, is_unknown_without_digests_or_lists) {
    write_database("info/tool.md5sums", std::string(digest_of_abc) + "\n\nshort\n");
    EXPECT_FALSE(package("/usr/bin/tool"));
    std::filesystem::remove(root_ / "var/lib/dpkg/info/tool.md5sums");
    EXPECT_FALSE(package("/usr/bin/tool"));
    std::filesystem::remove_all(root_ / "var/lib/dpkg");
    EXPECT_FALSE(package("/usr/bin/tool"));
}

TEST_F(DpkgPackage, is_not_one_that_a_terminal_may_obey) {
    write_database("status", "Package: tool\nStatus: install ok installed\nVersion: 1\x1b[2J\n");
    EXPECT_FALSE(package("/usr/bin/tool"));
}

TEST_F(DpkgPackage, database_of_other_kinds_of_files_is_left_alone) {
    std::filesystem::remove(root_ / "var/lib/dpkg/status");
    ASSERT_EQ(::mkfifo((root_ / "var/lib/dpkg/status").c_str(), 0600), 0);
    EXPECT_FALSE(package("/usr/bin/tool"));
}

}  // namespace op::fleet
