// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/task_list.h"

#include <algorithm>
#include <string_view>

#include "daemon/source/attach.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::tool {
namespace {

pid_t parse_task(std::string_view text, const char* option) {
    const auto number = parse_number(text);
    if (!number || *number == 0 || *number > INT32_MAX)
        throw_usage(std::string(option) + ": '" + printable(std::string(text)) +
                    "' is no number of a process or thread");
    return static_cast<pid_t>(*number);
}

/// At least one.
std::vector<pid_t> tasks_in(std::string_view words, const char* option) {
    std::vector<pid_t> tasks{parse_task(take_word(words), option)};
    for (std::string_view word = take_word(words); !word.empty(); word = take_word(words))
        tasks.push_back(parse_task(word, option));
    return tasks;
}

}  // namespace

std::vector<pid_t> parse_tasks(const std::vector<std::string>& words, const char* option) {
    std::vector<pid_t> tasks;
    for (const std::string& word : words)
        for (const pid_t task : tasks_in(word, option))
            if (std::ranges::find(tasks, task) == tasks.end()) tasks.push_back(task);
    return tasks;
}

std::vector<pid_t> processes_of(const std::vector<pid_t>& tasks) {
    std::vector<pid_t> processes;
    for (const pid_t task : tasks) {
        const pid_t process = collect::process_of(task);
        if (std::ranges::find(processes, process) == processes.end()) processes.push_back(process);
    }
    return processes;
}

}  // namespace op::tool
