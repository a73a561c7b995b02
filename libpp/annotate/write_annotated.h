// SPDX-License-Identifier: GPL-2.0-or-later
// The classic text of annotated listings. Scripts parse it: widths and blanks are part of the interface.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libpp/annotate/annotate.h"

namespace op::pp {

/// A comment that records how the listing was made: `command`, the command line, and `meaning`, what it
/// means, one line each.
std::string annotation_banner(const Annotation& annotation, const std::string& command,
                              const std::vector<std::string>& meaning);

/// A comment with the total of a file.
std::string annotation_totals(const Annotation& annotation, const AnnotatedFile& file);

/// A comment with the totals of files that are not listed; empty if there are none.
std::string annotation_aside(const Annotation& annotation, std::span<const AnnotatedFile* const> files);

/// The lines of a file with their samples in front. If the source's text is missing, its symbols, one a line.
std::string annotated_lines(const Annotation& annotation, const AnnotatedFile& file,
                            std::optional<std::string_view> source);

/// The line before the source's lines: its samples credited to no line, or an empty line.
std::string annotated_line_zero(const Annotation& annotation, const AnnotatedFile& file);

/// The listing of one symbol: `text` is the output of objdump -d for it. Each line has the samples of its
/// address in front; samples between two instructions count for the first one. The symbol's own line has its
/// total at the end.
std::string annotated_code(const Annotation& annotation, const AnnotatedCode& code, std::string_view text);

}  // namespace op::pp
