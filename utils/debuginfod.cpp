// SPDX-License-Identifier: GPL-2.0-or-later
// libdebuginfod, loaded only when it is needed: it brings an HTTP client along, which would cost every report
// more time than the report.
#include "utils/debuginfod.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "libop/base/counted.h"
#include "libop/base/fd.h"
#include "utils/shared/progress.h"

namespace op::tool {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds deadline{20};  // without a byte

/// Its functions.
struct Library {
    decltype(&debuginfod_begin) begin;
    decltype(&debuginfod_end) end;
    decltype(&debuginfod_find_executable) find_executable;
    decltype(&debuginfod_find_debuginfo) find_debuginfo;
    decltype(&debuginfod_set_progressfn) set_progressfn;
    decltype(&debuginfod_set_user_data) set_user_data;
    decltype(&debuginfod_get_user_data) get_user_data;
};

template <class Function>
bool load(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
}

std::optional<Library> load_library() {
    void* const file = ::dlopen(DEBUGINFOD_SONAME, RTLD_NOW | RTLD_LOCAL);
    Library l;
    const bool is_whole = file && load(file, "debuginfod_begin", l.begin) &&
                          load(file, "debuginfod_end", l.end) &&
                          load(file, "debuginfod_find_executable", l.find_executable) &&
                          load(file, "debuginfod_find_debuginfo", l.find_debuginfo) &&
                          load(file, "debuginfod_set_progressfn", l.set_progressfn) &&
                          load(file, "debuginfod_set_user_data", l.set_user_data) &&
                          load(file, "debuginfod_get_user_data", l.get_user_data);
    return is_whole ? std::optional(l) : std::nullopt;
}

/// Loaded at the first call and kept until the process ends, for it may have threads; null if it is not
/// there.
const Library* library() {
    static const std::optional<Library> loaded = load_library();
    return loaded ? &*loaded : nullptr;
}

/// A manifest may say anything; only this goes into an address.
bool is_build_id(const std::string& text) {
    return text.size() >= 8 && text.size() <= 128 && text.size() % 2 == 0 &&
           text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

class Debuginfod final : public pp::BuildIdSource {
public:
    explicit Debuginfod(Diagnostics& notes) : notes_(notes) {}
    Debuginfod(const Debuginfod&) = delete;
    Debuginfod& operator=(const Debuginfod&) = delete;
    ~Debuginfod() override {
        if (client_) library()->end(client_);
    }

    std::optional<std::string> executable(const std::string& build_id) override {
        return fetch(build_id, "binary", &Library::find_executable);
    }
    std::optional<std::string> debug_file(const std::string& build_id) override {
        return fetch(build_id, "debug file", &Library::find_debuginfo);
    }

private:
    using Find = decltype(Library::find_debuginfo) Library::*;

    bool is_ready();
    std::optional<std::string> fetch(const std::string& build_id, const char* what, Find find);
    void give_up(const std::string& reason) {
        notes_.warn("debuginfod: " + reason + "; it is not asked again");
        is_given_up_ = true;
    }
    static int on_progress(debuginfod_client* client, long done, long all);
    bool goes_on(long done, long all);

    Diagnostics& notes_;
    debuginfod_client* client_ = nullptr;
    bool is_given_up_ = false, is_late_ = false;
    // Of the request under way:
    std::string what_;
    long done_ = 0;
    Clock::time_point moved_;  ///< when the last byte came
    ProgressLine line_;
};

int Debuginfod::on_progress(debuginfod_client* client, long done, long all) {
    try {
        return static_cast<Debuginfod*>(library()->get_user_data(client))->goes_on(done, all) ? 0 : 1;
    } catch (const std::exception&) {
        return 1;  // nothing may be thrown through the library
    }
}

bool Debuginfod::goes_on(long done, long all) {
    const auto now = Clock::now();
    if (done != done_) moved_ = now;
    done_ = done;
    line_.show("debuginfod: " + what_ +
               (all > 0 ? ", " + std::to_string(100 * (done / 100) / (all / 100 + 1)) + " %" : ""));
    is_late_ = now - moved_ > deadline;
    return !is_late_;
}

bool Debuginfod::is_ready() {
    if (is_given_up_ || client_) return !is_given_up_;
    if (library()) client_ = library()->begin();
    if (!client_) {
        give_up(DEBUGINFOD_SONAME + std::string(library() ? " cannot be used" : " is not installed"));
        return false;
    }
    library()->set_user_data(client_, this);
    library()->set_progressfn(client_, on_progress);
    return true;
}

std::optional<std::string> Debuginfod::fetch(const std::string& build_id, const char* what, Find find) {
    if (!is_build_id(build_id) || !is_ready()) return std::nullopt;
    what_ = std::string(what) + " " + build_id;
    done_ = 0;
    moved_ = Clock::now();
    char* path = nullptr;
    // Length 0: the text is hexadecimal (debuginfod_find_debuginfo(3)).
    const Fd file(
        (library()->*find)(client_, reinterpret_cast<const unsigned char*>(build_id.c_str()), 0, &path));
    const std::unique_ptr<char, void (*)(void*)> owner(path, std::free);
    line_.clear();
    if (file && path) return std::string(path);
    const int error = -file.get();
    if (is_late_)
        give_up("no server answered within " + counted(static_cast<uint64_t>(deadline.count()), "second"));
    else if (error != ENOENT && error != ENOSYS)
        give_up(std::strerror(error));
    return std::nullopt;
}

}  // namespace

std::unique_ptr<pp::BuildIdSource> open_debuginfod(const std::string& urls, Diagnostics& notes) {
    if (!urls.empty()) ::setenv(DEBUGINFOD_URLS_ENV_VAR, urls.c_str(), 1);
    const char* const known = std::getenv(DEBUGINFOD_URLS_ENV_VAR);
    if (!known || !*known) return nullptr;
    return std::make_unique<Debuginfod>(notes);
}

}  // namespace op::tool
