// SPDX-License-Identifier: GPL-2.0-or-later
// Writes pictures to files of the working directory, from outside the sandbox.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/diagnostics.h"
#include "utils/shared/helper.h"

namespace op::tool {

/// What is written.
enum class PictureFile : uint8_t { text, json, page };

/// A helper process that makes files named optop-NUMBER, the first number that is free.
class PictureFiles {
public:
    /// To be made before the sandbox and before there are threads. `page_words` are the arguments of opreport
    /// for the page. `notes` must outlive the object. Throws a system error.
    PictureFiles(std::vector<std::string> page_words, Diagnostics& notes);

    /// Writes `content`, or opreport's page of the session, which needs none. Returns the name of the file.
    /// Throws a system error, or an input error with what opreport printed.
    std::string write(PictureFile kind, std::string_view content);
    /// The end of the connection to the process, which the sandbox leaves open.
    int descriptor() const noexcept { return helper_.descriptor(); }

private:
    std::string answer(std::string_view request) const;

    std::vector<std::string> page_words_;
    Helper helper_;
};

}  // namespace op::tool
