// SPDX-License-Identifier: GPL-2.0-or-later
// Lists of processes and threads on a command line.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace op::tool {

/// Numbers of tasks, each once, in the order given; a word may hold several with blanks or line ends between
/// them, as pgrep and pidof print them. Throws a usage error with the option's name for what is no number of
/// a task.
std::vector<pid_t> parse_tasks(const std::vector<std::string>& words, const char* option);

/// The processes that the tasks belong to, each once. Throws a system error for a task that is not there.
std::vector<pid_t> processes_of(const std::vector<pid_t>& tasks);

}  // namespace op::tool
