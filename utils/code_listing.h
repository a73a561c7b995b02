// SPDX-License-Identifier: GPL-2.0-or-later
// The instructions of symbols as text, as objdump -d prints them: from the built-in disassembler, or from
// objdump itself if the user gave parameters for it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/base/object_file.h"
#include "libpp/annotate/annotate.h"
#include "libpp/object/disassemble.h"
#include "libpp/object/section_finder.h"
#include "utils/source_finder.h"

namespace op::tool {

struct ListingOptions {
    bool with_source = false;                 ///< source lines between the instructions
    std::vector<std::string> objdump_params;  ///< not empty: run objdump with them
};

/// Lists the code of one image.
class CodeListing {
public:
    /// Opens the image's file, which the listing calls `name`. Options and finder must outlive the listing.
    /// Throws a system or input error.
    CodeListing(const std::string& path, std::string name, const ListingOptions& options,
                const SourceFinder& finder);

    /// The listing of a symbol, as objdump prints it, with its heading. `symbols` are the image's, for source
    /// lines and names of addresses; sources that cannot be read are skipped. Throws an input error if the
    /// symbol is not in the file, a system error if objdump cannot be run.
    std::string list(const pp::AnnotatedCode& code, pp::ImageSymbols& symbols);

private:
    std::string disassemble(const Section& section, const pp::AnnotatedCode& code, pp::ImageSymbols& symbols);
    std::string run_objdump(const pp::AnnotatedCode& code) const;
    std::string source_lines(const pp::SourceLine& line);

    std::string path_, name_;
    const ListingOptions& options_;
    const SourceFinder& finder_;
    MappedFile file_;
    std::unique_ptr<ObjectFile> object_;
    pp::SectionFinder sections_;
    std::unique_ptr<pp::Disassembler> disassembler_;
    // Source lines printed last, and the sources read:
    std::string source_file_;
    uint32_t source_line_ = 0;
    std::map<std::string, std::vector<std::string>> sources_;
};

}  // namespace op::tool
