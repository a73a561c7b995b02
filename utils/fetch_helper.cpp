// SPDX-License-Identifier: GPL-2.0-or-later
// A request is a letter and the build-id; a reply is the path, empty if nothing was found.
#include "utils/fetch_helper.h"

#include <algorithm>
#include <utility>

#include "libop/base/error.h"

namespace op::tool {

namespace {

constexpr char for_executable = 'e', for_debug_file = 'd';

}  // namespace

FetchHelper::FetchHelper(std::unique_ptr<pp::BuildIdSource> source, Diagnostics& notes)
    : source_(std::move(source)), notes_(notes) {
    helper_.emplace([this](std::string_view request) { return answer(request); }, notes);
    source_.reset();
}

std::optional<std::string> FetchHelper::executable(const std::string& build_id) {
    return fetch(for_executable, build_id);
}

std::optional<std::string> FetchHelper::debug_file(const std::string& build_id) {
    return fetch(for_debug_file, build_id);
}

std::optional<std::string> FetchHelper::fetch(char what, const std::string& build_id) {
    if (has_failed_) return std::nullopt;
    try {
        const std::string path = helper_->ask(what + build_id);
        return path.empty() ? std::nullopt : std::optional(path);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) throw;
        has_failed_ = true;
        notes_.warn(std::string("no more files are fetched by build-id: ") + error.what());
        return std::nullopt;
    }
}

std::string FetchHelper::answer(std::string_view request) {
    const std::string build_id(request.substr(std::min<size_t>(1, request.size())));
    const auto path =
        request.starts_with(for_executable) ? source_->executable(build_id) : source_->debug_file(build_id);
    return path.value_or("");
}

}  // namespace op::tool
