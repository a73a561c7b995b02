// SPDX-License-Identifier: GPL-2.0-or-later
// Annotated sources as a page for a browser.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "libpp/annotate/annotate.h"

namespace op::pp {

/// A source file of an annotation and its text, if it was found.
struct AnnotatedSource {
    const AnnotatedFile* file;
    std::optional<std::string> text;
};

/// One HTML page that needs nothing else and runs nothing: no scripts, no style sheets, fonts or pictures
/// from elsewhere. First an index of the files, then each file with its lines, whose colour shows their share
/// of the samples; line 12 of the third file is #f3l12. Names and sources may have any bytes. `command` is
/// the command line.
std::string annotated_html(const Annotation& annotation, std::span<const AnnotatedSource> sources,
                           const std::string& command);

}  // namespace op::pp
