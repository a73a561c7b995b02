// SPDX-License-Identifier: GPL-2.0-or-later
// MiniDebugInfo: the symbols of functions that a stripped binary of Fedora and others carries in compressed
// form (GDB manual, "MiniDebugInfo").
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/object_file.h"

namespace op::pp {

/// The ELF file within a section .gnu_debugdata.
class MiniDebugInfo {
public:
    /// Unpacks what `file` carries, if that is anything: up to 64 MiB. Throws an input error that names
    /// `label` if it is damaged or longer.
    MiniDebugInfo(const ObjectFile& file, std::string_view label);

    /// The functions that are not among the dynamic symbols; as a rule without weak ones, which those of C++
    /// templates are. Valid as long as this object.
    std::vector<RawSymbol> symbols() const;

private:
    std::string bytes_;
    std::unique_ptr<ObjectFile> object_;  ///< of bytes_; null if nothing is carried
};

}  // namespace op::pp
