// SPDX-License-Identifier: GPL-2.0-or-later
// The command lines of opcontrol and operf that the window's controls stand for. Plain data in, words out:
// knows neither Qt nor processes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace op::gui {

/// The words of a command behind its name.
using Arguments = std::vector<std::string>;

/// A chosen event.
struct ChosenEvent {
    std::string name;
    uint64_t count = 0;
    std::string unit_mask;  ///< a number or a name; empty = the event's default
    bool kernel = true;     ///< "Profile kernel"
    bool user = true;       ///< "Profile user binaries"

    bool operator==(const ChosenEvent&) const = default;
};

/// The tabs Setup and Configuration.
struct ControlSetup {
    std::vector<ChosenEvent> events;  ///< empty = the default event
    std::string kernel_image;         ///< empty = "No kernel image"
    uint64_t buffer_size = 0;         ///< words; 0 = the driver's default, as the next two
    uint64_t buffer_watershed = 0;    ///< words
    uint64_t cpu_buffer_size = 0;     ///< samples
    uint64_t callgraph_depth = 0;     ///< 0 = no callers
    bool is_verbose = false;
    bool per_application = false;
    bool including_kernel = false;  ///< of per_application
    bool per_cpu = false;
    bool per_thread = false;
};

/// The reason why opcontrol would refuse the setup; empty if there is no reason that can be known here.
std::string fault_of(const ControlSetup& setup);

/// "NAME:COUNT:UNITMASK:KERNEL:USER" as opcontrol and operf take it.
std::string event_text(const ChosenEvent& event);
/// --setup and one word for each setting.
Arguments setup_arguments(const ControlSetup& setup);
/// --start with the same settings.
Arguments start_arguments(const ControlSetup& setup);

/// The tab operf.
struct OperfRun {
    enum class Target { command, process, system };
    Target target = Target::command;
    std::vector<std::string> command;  ///< of Target::command, and with others empty
    uint64_t process = 0;              ///< of Target::process
    std::string events;                ///< as operf takes them; empty = the default event
    std::string session_dir;           ///< empty = operf's default
    bool callgraph = false, per_thread = false, per_cpu = false, append = false;
};

/// The reason why operf would refuse the run; empty if no reason can be known here.
std::string fault_of(const OperfRun& run);
Arguments operf_arguments(const OperfRun& run);

/// A command as a line that a shell understands: words with other characters than letters, digits and
/// `_ - + = : , . / @ %` are quoted, control characters in them too.
std::string shell_line(const std::string& program, const Arguments& arguments);

}  // namespace op::gui
