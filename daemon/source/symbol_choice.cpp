// SPDX-License-Identifier: GPL-2.0-or-later
// Groups of symbols at one address, kept or dropped once the next address is known.
#include "daemon/source/symbol_choice.h"

#include <algorithm>

namespace op::collect {
namespace {

/// From which readers count the offsets of a kernel whose place they do not know.
bool is_mark(std::string_view line) {
    return line.ends_with(" _text") || line.ends_with(" _stext") || line.ends_with(" _etext");
}

}  // namespace

void SymbolChoice::take(std::string_view line, uint64_t address, std::string& out) {
    if (line.ends_with(']')) {
        if (is_kept_module(line)) out.append(line).push_back('\n');
        return;
    }
    is_sorted_ &= address >= address_;
    if (address != address_) end_group(address, out);
    address_ = address;
    if (is_mark(line))
        out.append(line).push_back('\n');
    else
        group_.append(line).push_back('\n');
}

void SymbolChoice::finish(std::string& out) {
    end_group(UINT64_MAX, out);
}

void SymbolChoice::end_group(uint64_t next, std::string& out) {
    const bool is_touched = touches_until(next);
    if (is_touched || ends_another_) out += group_;
    ends_another_ = is_touched;
    group_.clear();
}

/// True if a page of the group's symbols is one of those asked for. Of symbols within one page the answer is
/// the same.
bool SymbolChoice::touches_until(uint64_t next) {
    const uint64_t page = address_ >> KernelPages::shift;
    if (next <= address_ || (next - 1) >> KernelPages::shift != page) return pages_.touch(address_, next);
    if (page != last_page_) {
        last_page_ = page;
        is_last_touched_ = pages_.touch(address_, next);
    }
    return is_last_touched_;
}

bool SymbolChoice::is_kept_module(std::string_view line) const {
    const size_t at = line.rfind('[');
    if (at == line.npos) return false;
    const std::string_view name = line.substr(at + 1, line.size() - at - 2);
    return std::ranges::find(modules_, name) != modules_.end();
}

}  // namespace op::collect
