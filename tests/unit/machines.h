// SPDX-License-Identifier: GPL-2.0-or-later
// The made-up machines of tests/fixtures/machines.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "libop/base/machine_root.h"
#include "tests/unit/fixtures.h"

namespace op::test {

/// While it lives, that made-up machine takes the place of this one; not thread-safe.
class OnMachine {
public:
    explicit OnMachine(const std::string& name) {
        if (const auto old = made_up_machine()) before_ = *old;
        ::setenv(machine_variable, fixture("machines/" + name).c_str(), 1);
    }
    OnMachine(const OnMachine&) = delete;
    OnMachine& operator=(const OnMachine&) = delete;
    ~OnMachine() {
        if (before_.empty())
            ::unsetenv(machine_variable);
        else
            ::setenv(machine_variable, before_.c_str(), 1);
    }

private:
    std::string before_;
};

/// Their names.
inline std::vector<std::string> machines() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(fixture("machines")))
        names.push_back(entry.path().filename());
    return names;
}

}  // namespace op::test
