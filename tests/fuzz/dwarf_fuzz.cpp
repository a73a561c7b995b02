// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: with any debug information in an ELF file, queries for lines and inlined functions at any
// address end. The file is also its own package of split units (FILE.dwp). Supplementary files that it refers
// to are looked for and not found.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>
#include <vector>

#include "libop/base/elf_object.h"
#include "libop/base/error.h"
#include "libpp/object/debuginfo_lines.h"

namespace {

/// Addresses asked for in a section, so that a huge one costs no more than others.
constexpr uint64_t addresses_a_section = 64;
/// Frames of one address: deeper than what the table reads entries.
constexpr size_t frame_limit = 2000;

void require(bool claim) {
    if (!claim) std::abort();
}

void ask(op::pp::LineTable& lines, op::LinkAddress address) {
    const auto line = lines.find(address);
    require(!line || !line->file.empty());
    const auto frames = lines.frames(address);
    const auto inlined = lines.inlined_functions(address, frame_limit);
    require(frames.size() < frame_limit && (inlined.empty() || inlined.size() < frames.size()));
    if (line) require(!frames.empty() && frames.front().file == line->file);
}

/// Memory like that of a mapped file: libelf must not write where unpacking_fault() did not allow it.
class MappedCopy {
public:
    explicit MappedCopy(std::string_view content) : size_(std::max<size_t>(content.size(), 1)) {
        memory_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        require(memory_ != MAP_FAILED);
        content.copy(static_cast<char*>(memory_), content.size());
        require(::mprotect(memory_, size_, PROT_READ) == 0);
        used_ = content.size();
    }
    MappedCopy(const MappedCopy&) = delete;
    MappedCopy& operator=(const MappedCopy&) = delete;
    ~MappedCopy() { ::munmap(memory_, size_); }
    std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(memory_), used_}; }

private:
    void* memory_;
    size_t size_, used_;
};

/// The files beside the input that it may ask for; removed with the process's directory.
class Beside {
public:
    Beside() : dir_(std::filesystem::temp_directory_path() / ("dwarf_fuzz." + std::to_string(::getpid()))) {
        std::filesystem::create_directory(dir_);
    }
    ~Beside() {
        std::error_code ignored;
        std::filesystem::remove_all(dir_, ignored);
    }
    std::string path() const { return dir_ / "input"; }
    void write(const char* end, std::string_view bytes) const {
        std::ofstream(path() + end, std::ios::binary) << bytes;
    }

private:
    std::filesystem::path dir_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const Beside beside;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const bool is_package = text.find(".debug_cu_index") != text.npos;
    if (is_package) beside.write(".dwp", text);
    std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data),
                                 reinterpret_cast<const std::byte*>(data) + size);
    try {
        const auto object = op::open_elf(bytes, "input");
        op::Diagnostics notes;
        const MappedCopy own(text);
        const std::string path = is_package ? beside.path() : "";
        op::pp::LineTable lines(own.bytes(), {path, path, {}, &notes});
        for (const auto& section : object->sections()) {
            if (!section.code) continue;
            const uint64_t step = std::max<uint64_t>(1, section.size / addresses_a_section);
            for (uint64_t i = 0; i < addresses_a_section; ++i)
                ask(lines, section.address + i * step);
        }
    } catch (const op::Error& error) {
        require(error.kind() == op::ErrorKind::input);
    }
    return 0;
}
