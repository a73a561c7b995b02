// SPDX-License-Identifier: GPL-2.0-or-later
// The running kernel and its modules: where they begin, by /proc/kallsyms and /proc/modules, and their
// build-ids, by their notes in /sys. Places count from where they begin, as collectors count (doc/FORMATS.md,
// "Sample file").
#include <sys/utsname.h>

#include "fleet/build_symbols.h"
#include "libop/base/build_id.h"
#include "libop/base/kallsyms.h"
#include "libop/base/kernel_file.h"
#include "libop/base/machine_root.h"
#include "libop/base/text.h"
#include "libop/stream/record.h"

namespace op::fleet {
namespace {

std::string noted_build_id(const std::string& path) {
    const std::string notes = read_kernel_file(machine_path(path));
    return build_id_of_notes(std::as_bytes(std::span(notes)));
}

/// The kernel's code; a start of 0 if addresses are hidden.
RecordedKernelImage kernel_in(std::string_view kallsyms) {
    uint64_t text = 0, stext = 0, etext = 0;
    while (!kallsyms.empty() && etext == 0) {
        const auto line = parse_kallsyms_line(take_line(kallsyms));
        if (!line) continue;
        if (line->name == "_text") text = line->address;
        if (line->name == "_stext") stext = line->address;
        if (line->name == "_etext") etext = line->address;
    }
    const uint64_t start = text != 0 ? text : stext;
    if (start == 0 || etext <= start) return {};
    return {std::string(kallsyms_image), start, etext - start, noted_build_id("/sys/kernel/notes")};
}

/// "name size refcount users state address [taint]"
std::optional<RecordedKernelImage> module_of(std::string_view line) {
    const auto name = take_word(line), size = take_word(line);
    for (int i = 0; i < 3; ++i)
        take_word(line);
    auto address = take_word(line);
    if (address.starts_with("0x")) address.remove_prefix(2);
    const auto length = parse_number(size), start = parse_number(address, 16);
    if (!length || !start || *start == 0 || name.find('/') != name.npos) return std::nullopt;
    return RecordedKernelImage{
        std::string(name), *start, *length,
        noted_build_id("/sys/module/" + std::string(name) + "/notes/.note.gnu.build-id")};
}

}  // namespace

RunningKernel RunningKernel::read() {
    RunningKernel kernel;
    utsname machine{};
    if (::uname(&machine) == 0) kernel.info.kernel_release = machine.release;
    kernel.kallsyms = read_kernel_file(machine_path(std::string(kallsyms_image)));
    if (auto image = kernel_in(kernel.kallsyms); image.start != 0)
        kernel.info.kernel_images.push_back(std::move(image));
    const std::string modules = read_kernel_file(machine_path("/proc/modules"));
    for (std::string_view rest = modules; !rest.empty();)
        if (auto image = module_of(take_line(rest))) kernel.info.kernel_images.push_back(std::move(*image));
    std::erase_if(kernel.info.kernel_images,
                  [](const RecordedKernelImage& image) { return image.build_id.empty(); });
    return kernel;
}

}  // namespace op::fleet
