// SPDX-License-Identifier: GPL-2.0-or-later
// Disassembling through libopcodes. It is given bytes, never a file: no ELF file is parsed by libbfd.
#include "libpp/object/disassemble.h"

#include <bfd.h>
#include <dis-asm.h>
#include <elf.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::pp {

namespace {

struct Row {
    uint16_t elf_machine;
    bool is_64bit;
    bfd_architecture architecture;
    unsigned long machine;
    const char* format;  ///< as objdump calls it
};
constexpr Row rows[] = {
    {EM_X86_64, true, bfd_arch_i386, bfd_mach_x86_64, "elf64-x86-64"},
    {EM_X86_64, false, bfd_arch_i386, bfd_mach_x64_32, "elf32-x86-64"},
    {EM_386, false, bfd_arch_i386, bfd_mach_i386_i386, "elf32-i386"},
    {EM_AARCH64, true, bfd_arch_aarch64, bfd_mach_aarch64, "elf64-littleaarch64"},
    {EM_ARM, false, bfd_arch_arm, bfd_mach_arm_unknown, "elf32-littlearm"},
    {EM_PPC64, true, bfd_arch_powerpc, bfd_mach_ppc64, "elf64-powerpc"},
    {EM_S390, true, bfd_arch_s390, bfd_mach_s390_64, "elf64-s390"},
    {EM_RISCV, true, bfd_arch_riscv, bfd_mach_riscv64, "elf64-littleriscv"},
};

const Row* find_row(const Machine& machine) {
    for (const Row& row : rows)
        if (row.elf_machine == machine.elf_machine && row.is_64bit == machine.is_64bit) return &row;
    return nullptr;
}

}  // namespace

struct Disassembler::Impl {
    disassemble_info info{};
    disassembler_ftype print = nullptr;
    std::string_view format;
    std::string text;
    std::span<const std::byte> code;
    uint64_t address = 0;
    const NameAddress* name = nullptr;

    static Impl& of(void* stream) { return *static_cast<Impl*>(stream); }

    static int add(void* stream, const char* format, ...) {
        va_list arguments;
        va_start(arguments, format);
        const int n = of(stream).add(format, arguments);
        va_end(arguments);
        return n;
    }
    static int add_styled(void* stream, disassembler_style, const char* format, ...) {
        va_list arguments;
        va_start(arguments, format);
        const int n = of(stream).add(format, arguments);
        va_end(arguments);
        return n;
    }
    int add(const char* format, va_list arguments) {
        char piece[256];
        const int n = std::vsnprintf(piece, sizeof piece, format, arguments);
        text += piece;
        return n;
    }

    static int read(bfd_vma at, bfd_byte* to, unsigned length, disassemble_info* info) {
        const Impl& impl = of(info->stream);
        const uint64_t offset = at - impl.address;
        if (at < impl.address || offset > impl.code.size() || length > impl.code.size() - offset) return -1;
        std::memcpy(to, impl.code.data() + offset, length);
        return 0;
    }
    static void ignore_error(int, bfd_vma, disassemble_info*) {}
    static void add_address(bfd_vma at, disassemble_info* info) {
        Impl& impl = of(info->stream);
        impl.text += hex(at);
        if (const std::string symbol = (*impl.name)(LinkAddress{at}); !symbol.empty())
            impl.text += " <" + symbol + ">";
    }
};

Disassembler::Disassembler(const Machine& machine) : impl_(std::make_unique<Impl>()) {
    const Row* const row = find_row(machine);
    if (row) impl_->print = ::disassembler(row->architecture, machine.is_big_endian, row->machine, nullptr);
    if (!impl_->print)
        throw_input("the disassembler built in knows no machine " + std::to_string(machine.elf_machine) +
                    "; use --objdump-params, which runs objdump");
    impl_->format = row->format;
    disassemble_info& info = impl_->info;
    ::init_disassemble_info(&info, impl_.get(), Impl::add, Impl::add_styled);
    info.arch = row->architecture;
    info.mach = row->machine;
    info.endian = info.endian_code = machine.is_big_endian ? BFD_ENDIAN_BIG : BFD_ENDIAN_LITTLE;
    info.read_memory_func = Impl::read;
    info.memory_error_func = Impl::ignore_error;
    info.print_address_func = Impl::add_address;
    ::disassemble_init_for_target(&info);
}

std::string_view Disassembler::format() const noexcept {
    return impl_->format;
}

Disassembler::~Disassembler() {
    ::disassemble_free_target(&impl_->info);
}

Disassembler::Instruction Disassembler::next(std::span<const std::byte> code, LinkAddress address,
                                             const NameAddress& name) {
    impl_->text.clear();
    impl_->code = code;
    impl_->address = address.value();
    impl_->name = &name;
    int length = impl_->print(address.value(), &impl_->info);
    if (length <= 0 || static_cast<size_t>(length) > code.size()) {
        impl_->text = "(bad)";
        length = 1;
    }
    std::string& text = impl_->text;
    text.erase(text.find_last_not_of(' ') + 1);
    return {text, static_cast<size_t>(length)};
}

}  // namespace op::pp
