// SPDX-License-Identifier: GPL-2.0-or-later
// finit_module(2), mount(2) and back.
#include "utils/opcontrol/driver_module.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "daemon/driver/oprofilefs.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"

namespace op::tool {

namespace {

namespace fs = std::filesystem;

constexpr const char* module_name = "oprofile";
constexpr const char* file_system = "oprofilefs";
constexpr int compressed_file = 4;  // MODULE_INIT_COMPRESSED_FILE of linux/module.h, since Linux 5.17

constexpr std::string_view in_short[] = {"oprofile.ko", "oprofile.ko.xz", "oprofile.ko.zst",
                                         "oprofile.ko.gz"};

/// The module below one directory; of several the first by path.
std::optional<std::string> find_below(const fs::path& dir) {
    std::vector<std::string> found;
    std::error_code error;
    fs::recursive_directory_iterator entry(dir, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        if (entry.depth() > 16) entry.disable_recursion_pending();
        const std::string name = entry->path().filename();
        if (std::ranges::find(in_short, name) != std::end(in_short) && is_regular_file(entry->path()))
            found.push_back(entry->path());
    }
    if (found.empty()) return std::nullopt;
    return *std::ranges::min_element(found);
}

/// Loads one file; the reason if that failed.
std::optional<std::string> load(const std::string& file, const std::string& model) {
    const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) return "cannot open " + printable(file) + ": " + errno_text(errno);
    char head[64];
    const ssize_t n = ::pread(fd.get(), head, sizeof head, 0);
    const ModuleFile kind = module_file_kind({head, n > 0 ? static_cast<size_t>(n) : 0});
    if (kind == ModuleFile::none)
        return printable(file) + " is no kernel module; name the oprofile.ko that was built for this kernel";
    const bool is_compressed = kind == ModuleFile::compressed;
    const int flags = is_compressed ? compressed_file : 0;
    const std::string parameters = model.empty() ? "" : "model=" + model;
    if (::syscall(SYS_finit_module, fd.get(), parameters.c_str(), flags) == 0 || errno == EEXIST)
        return std::nullopt;
    const int error = errno;
    if (is_compressed && (error == EINVAL || error == EOPNOTSUPP))
        return printable(file) +
               ": this kernel does not unpack modules itself; load it with modprobe oprofile" +
               (model.empty() ? "" : " " + parameters);
    return "cannot load " + printable(file) + ": " + errno_text(error) + ": " + load_refusal(error);
}

/// Mounts the driver's files: 0 or an errno value; ENODEV if no such driver is loaded.
int mount_files(const std::string& where) {
    const size_t slash = where.rfind('/');
    const Fd parent = open_file(where.substr(0, slash), O_RDONLY | O_DIRECTORY);
    open_directory_at(parent, where.substr(slash + 1), where, true);
    constexpr unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (::mount(file_system, where.c_str(), file_system, flags, nullptr) == 0) return 0;
    const int error = errno;
    ::rmdir(where.c_str());
    return error;
}

std::optional<std::string> mount_reason(int error) {
    if (error == 0) return std::nullopt;
    return std::string("cannot mount ") + file_system + ": " + errno_text(error) +
           (error == EPERM ? ": not permitted in this container; run opcontrol outside it" : "");
}

/// Loads the driver that was asked for; the reason if that failed.
std::optional<std::string> find_and_load(const ControlPaths& paths, const DriverWish& wish) {
    const auto file =
        wish.module_file.empty() ? find_driver_module(paths.modules) : std::optional(wish.module_file);
    if (!file && ::access("/proc/modules", F_OK) != 0) return load_refusal(ENOSYS);
    if (!file)
        return "there is no oprofile.ko below " + paths.modules +
               "; build and install it (doc/DRIVER-USE.md, \"Build and install the driver\") or name it with "
               "--init --module FILE";
    return load(*file, wish.model);
}

bool kernel_has_driver() {
    return has_file_system(read_file_if_any("/proc/filesystems").value_or(""), file_system);
}

/// mount(2) of a file system that the kernel does not have makes the kernel load the module that is installed
/// for it, without our parameters: what was asked for is loaded before.
std::optional<std::string> load_and_mount(const ControlPaths& paths, const DriverWish& wish) {
    const bool is_particular = !wish.module_file.empty() || !wish.model.empty();
    if (is_particular && !kernel_has_driver())
        if (auto reason = find_and_load(paths, wish)) return reason;
    const int error = mount_files(paths.driver);
    if (error != ENODEV) return mount_reason(error);
    if (auto reason = find_and_load(paths, wish)) return reason;
    return mount_reason(mount_files(paths.driver));
}

/// The reason if a driver that is loaded counts by another model than the one that was asked for.
std::optional<std::string> other_model(const collect::Oprofilefs& driver, const std::string& model) {
    if (model.empty()) return std::nullopt;
    const std::string present = driver.text("model");
    if (present == model) return std::nullopt;
    return "the driver is loaded with the model " + printable(present) +
           "; unload it first (opcontrol --deinit)";
}

}  // namespace

std::optional<std::string> find_driver_module(const std::string& modules_dir) {
    for (const char* part : {"updates", "extra", "misc", "kernel"})
        if (auto found = find_below(fs::path(modules_dir) / part)) return found;
    return std::nullopt;
}

bool has_file_system(std::string_view file_systems, std::string_view name) {
    while (!file_systems.empty()) {
        std::string_view line = take_line(file_systems);
        if (line.substr(line.find('\t') + 1) == name) return true;
    }
    return false;
}

ModuleFile module_file_kind(std::string_view head) {
    constexpr size_t type_at = 16;  // e_type; ET_REL is 1
    for (const std::string_view magic : {"\x1f\x8b",
                                         "\xfd"
                                         "7zXZ",
                                         "\x28\xb5\x2f\xfd"})
        if (head.starts_with(magic)) return ModuleFile::compressed;
    const bool is_elf = head.size() > type_at + 1 && head.starts_with(
                                                         "\x7f"
                                                         "ELF");
    const bool is_relocatable = is_elf && head[type_at] + head[type_at + 1] == ET_REL;
    return is_relocatable ? ModuleFile::plain : ModuleFile::none;
}

std::string load_refusal(int error) {
    switch (error) {
        case EPERM:
            return "the kernel lets nobody load modules here (a container, lockdown or "
                   "kernel.modules_disabled); run it outside, or sign the module";
        case ENOKEY:
        case EKEYREJECTED:
        case EKEYREVOKED:
        case EKEYEXPIRED:
        case EBADMSG:
            return "the kernel takes signed modules only; sign it with an enrolled key (doc/DRIVER-USE.md, "
                   "\"Secure Boot\")";
        case ENOSYS:
            return "this kernel has no loadable modules; use one that has";
        case ENOEXEC:
        case ENOENT:
            return "it was built for another kernel; build it for this one (make kernel)";
        case ENODEV:
        case EBUSY:
            return "the driver found no hardware that it supports, or none for that model; see dmesg";
        default:
            return "see dmesg";
    }
}

bool is_driver_loaded(const ControlPaths& paths) {
    return collect::Oprofilefs(paths.driver).present() || (!paths.is_test_tree && kernel_has_driver());
}

std::optional<std::string> bring_up_driver(const ControlPaths& paths, const DriverWish& wish) {
    const collect::Oprofilefs driver(paths.driver);
    if (driver.present()) return other_model(driver, wish.model);
    if (paths.is_test_tree) return "nothing is loaded into the kernel from a test tree";
    try {
        if (auto reason = load_and_mount(paths, wish)) return reason;
    } catch (const Error& error) {
        return error.what();
    }
    if (driver.present()) return other_model(driver, wish.model);
    return "the driver at " + paths.driver + " is another one; unload it (opcontrol --deinit)";
}

void take_down_driver(const ControlPaths& paths) {
    if (paths.is_test_tree) return;
    const collect::Oprofilefs driver(paths.driver);
    while (::umount2(paths.driver.c_str(), UMOUNT_NOFOLLOW) == 0) {
    }
    const int unmount_error = errno;
    if (driver.present())
        throw_system("cannot unmount " + paths.driver + "; a program still uses it", unmount_error);
    ::rmdir(paths.driver.c_str());  // unless somebody keeps something there
    if (::syscall(SYS_delete_module, module_name, O_NONBLOCK) == 0 || errno == ENOENT || errno == ENOSYS)
        return;
    throw_system("cannot unload the driver; a program may still use it, see lsmod");
}

}  // namespace op::tool
