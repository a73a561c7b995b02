// SPDX-License-Identifier: GPL-2.0-or-later
// What opfleet can do: a row for each verb. A verb is a file in utils/opfleet.
#pragma once

#include <span>

#include "utils/shared/tool.h"

namespace op::tool {

/// A verb parses the command line behind it, which begins with the verb.
struct FleetVerb {
    const char* name;
    const char* duty;  ///< one line, no full stop
    Body run;
};

/// All verbs, in the order that the help lists them.
std::span<const FleetVerb> fleet_verbs();

int opfleet_coverage(Tool& tool, int argc, char** argv);
int opfleet_diff(Tool& tool, int argc, char** argv);
int opfleet_flame(Tool& tool, int argc, char** argv);
int opfleet_hosts(Tool& tool, int argc, char** argv);
int opfleet_images(Tool& tool, int argc, char** argv);
int opfleet_init(Tool& tool, int argc, char** argv);
int opfleet_symbolize(Tool& tool, int argc, char** argv);
int opfleet_top(Tool& tool, int argc, char** argv);
int opfleet_nightly(Tool& tool, int argc, char** argv);
int opfleet_retain(Tool& tool, int argc, char** argv);
int opfleet_show(Tool& tool, int argc, char** argv);

}  // namespace op::tool
