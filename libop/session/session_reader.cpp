// SPDX-License-Identifier: GPL-2.0-or-later
// The session directory, reading side.
#include <fcntl.h>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/gzip.h"
#include "libop/base/text.h"
#include "libop/session/session.h"
#include "libop/session/session_files.h"

namespace op {

SessionReader::SessionReader(const std::string& path)
    : path_(path), dir_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (!dir_) throw_system("cannot open sample directory " + printable(path));
}

std::vector<std::string> SessionReader::list() const {
    return list_sample_files(dir_, path_);
}

SampleFileContent SessionReader::read(const std::string& relative_path, Diagnostics& notes) const {
    return read_sample_file(dir_, relative_path, path_, notes);
}

std::optional<SessionInfo> SessionReader::info(Diagnostics& notes) const {
    return read_manifest(dir_, path_, notes);
}

std::string SessionReader::kallsyms(Diagnostics& notes) const {
    const std::string label = printable(path_) + "/" + kallsyms_name;
    try {
        const auto packed = read_file_below(dir_, kallsyms_name, label, side_file_limit);
        return packed ? gunzip(*packed, label) : "";
    } catch (const Error& error) {
        notes.warn(std::string(error.what()) + "; kernel samples are shown without the recorded symbols");
        return "";
    }
}

std::optional<uint64_t> SessionReader::statistic(const std::string& name) const {
    const std::string file = std::string(statistics_dir) + "/" + name;
    try {
        const auto text = read_file_below(dir_, file, path_ + "/" + file, statistic_limit);
        std::string_view rest = text ? *text : std::string_view();
        return parse_number(take_word(rest));
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace op
