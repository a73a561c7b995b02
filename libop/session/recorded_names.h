// SPDX-License-Identifier: GPL-2.0-or-later
// Command names of processes and threads, as the kernel has them (prctl(2), PR_SET_NAME): a script's name
// where the program is its interpreter. Whoever runs here chooses such names, so every table has a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace op {

/// The names in one session.
class RecordedNames {
public:
    static constexpr size_t most_commands = 1000, most_commands_each = 32, most_threads = 4096;
    /// Process and thread number.
    using Thread = std::pair<uint32_t, uint32_t>;
    /// Path of a program, and the name that its process had; "" for its names beyond the limits.
    using Command = std::pair<std::string, std::string>;

    using Commands = std::map<Command, uint64_t>;

    /// Adds samples of a program that were taken while its process had that name. Beyond the limits they are
    /// added to its name "", which takes no room from names, or, if the program has no name here at all, they
    /// count as left out. What is within the limits is kept, in whatever order it is added.
    void add_command(std::string_view application, std::string_view name, uint64_t samples);
    /// Samples of programs that are left out.
    void add_left_out_samples(uint64_t samples) noexcept;
    /// The name of a thread; a newer one replaces it. Beyond the limit it is left out.
    void set_thread(Thread thread, std::string_view name);
    /// Names of threads are left out.
    void set_left_out_threads() noexcept { has_left_out_threads_ = true; }
    /// Adds what another run recorded.
    void merge(const RecordedNames& newer);

    /// Samples; at most `most_commands` names, and as many "".
    const Commands& commands() const noexcept { return commands_; }
    /// Of sessions that keep threads apart.
    const std::map<Thread, std::string>& threads() const noexcept { return threads_; }
    uint64_t left_out_samples() const noexcept { return left_out_samples_; }
    bool has_left_out_threads() const noexcept { return has_left_out_threads_; }
    bool operator==(const RecordedNames&) const = default;

private:
    std::optional<Commands::iterator> make_room(Command key);

    Commands commands_;
    size_t names_ = 0;     ///< in commands_, without ""
    size_t programs_ = 0;  ///< in commands_
    std::map<Thread, std::string> threads_;
    uint64_t left_out_samples_ = 0;
    bool has_left_out_threads_ = false;
};

}  // namespace op
