// SPDX-License-Identifier: GPL-2.0-or-later
// Comparing the states of files.
#include "utils/shared/checked_file.h"

#include <sys/stat.h>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::tool {

CheckedFile::CheckedFile(const Fd& file, const std::string& path) {
    struct stat st {};
    if (::fstat(file.get(), &st) != 0) throw_system("cannot read " + path);
    device_ = st.st_dev;
    inode_ = st.st_ino;
    size_ = st.st_size;
    changed_ = st.st_ctim.tv_sec;
    changed_part_ = st.st_ctim.tv_nsec;
}

Fd CheckedFile::open_again(const std::string& path) const {
    Fd file = open_regular(path);
    if (CheckedFile(file, path) != *this) throw_input(printable(path) + " was replaced after it was checked");
    return file;
}

}  // namespace op::tool
