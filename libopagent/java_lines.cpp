// SPDX-License-Identifier: LGPL-2.1-or-later
// From addresses to places in bytecode, and from these to lines.
#include "libopagent/java_lines.h"

#include <jvmticmlr.h>
#include <stdlib.h>

#include "libopagent/java_names.h"

namespace op::java {

struct MethodSource {
    jmethodID method;
    char* file;                   ///< nullptr: not known
    jvmtiLineNumberEntry* lines;  ///< in no order
    jint count;
    MethodSource* next;
};

namespace {

jint line_at(const MethodSource& source, jlocation location) {
    const jvmtiLineNumberEntry* best = nullptr;
    for (jint i = 0; i < source.count; ++i) {
        const jvmtiLineNumberEntry& each = source.lines[i];
        const bool is_before = each.start_location <= location;
        if (!best ||
            (is_before ? best->start_location > location || each.start_location > best->start_location
                       : each.start_location < best->start_location))
            best = &each;
    }
    return best ? best->line_number : 0;
}

char* source_file(jvmtiEnv* environment, jmethodID method) {
    jclass type = nullptr;
    char *signature = nullptr, *file = nullptr;
    Text path;
    if (environment->GetMethodDeclaringClass(method, &type) == JVMTI_ERROR_NONE &&
        environment->GetClassSignature(type, &signature, nullptr) == JVMTI_ERROR_NONE &&
        environment->GetSourceFileName(type, &file) == JVMTI_ERROR_NONE)
        append_source(path, signature, file);
    environment->Deallocate(reinterpret_cast<unsigned char*>(file));
    environment->Deallocate(reinterpret_cast<unsigned char*>(signature));
    return path.release();
}

const jvmtiCompiledMethodLoadInlineRecord* inlining(const void* compile_info) {
    const auto* record = static_cast<const jvmtiCompiledMethodLoadRecordHeader*>(compile_info);
    for (; record; record = record->next)
        if (record->kind == JVMTI_CMLR_INLINE_INFO && record->majorinfoversion == JVMTI_CMLR_MAJOR_VERSION_1)
            return reinterpret_cast<const jvmtiCompiledMethodLoadInlineRecord*>(record);
    return nullptr;
}

}  // namespace

LineTable::~LineTable() {
    while (MethodSource* const source = sources_) {
        sources_ = source->next;
        environment_->Deallocate(reinterpret_cast<unsigned char*>(source->lines));
        free(source->file);
        free(source);
    }
    free(lines_);
}

const MethodSource* LineTable::source_of(jmethodID method) {
    for (const MethodSource* each = sources_; each; each = each->next)
        if (each->method == method) return each;
    auto* const made = static_cast<MethodSource*>(calloc(1, sizeof(MethodSource)));
    if (!made) return nullptr;
    made->method = method;
    if (environment_->GetLineNumberTable(method, &made->count, &made->lines) == JVMTI_ERROR_NONE)
        made->file = source_file(environment_, method);
    else
        made->count = 0;
    made->next = sources_;
    sources_ = made;
    return made;
}

void LineTable::add(uintptr_t address, jmethodID method, jlocation location) {
    const MethodSource* const source = source_of(method);
    const bool is_known = source && source->file && source->count != 0;
    if (!is_known && size_ == 0) return;
    const debug_line_info line =
        is_known ? debug_line_info{address, static_cast<unsigned>(line_at(*source, location)), source->file}
                 : debug_line_info{address, 0, lines_[size_ - 1].filename};
    if (size_ > 0) {
        debug_line_info& last = lines_[size_ - 1];
        if (last.lineno == line.lineno && last.filename == line.filename) return;
        if (last.vma >= line.vma) return;
    }
    if (size_ == capacity_) {
        const size_t capacity = capacity_ == 0 ? 64 : capacity_ * 2;
        if (capacity > most_lines) return;
        auto* const grown =
            static_cast<debug_line_info*>(realloc(lines_, capacity * sizeof(debug_line_info)));
        if (!grown) return;
        lines_ = grown;
        capacity_ = capacity;
    }
    lines_[size_++] = line;
}

/// The virtual machine describes an address by the first record at or behind it. So the line of a record
/// begins behind the record before.
void LineTable::fill_from_inlining(uintptr_t start, size_t size, const void* record) {
    const auto& inlined = *static_cast<const jvmtiCompiledMethodLoadInlineRecord*>(record);
    uintptr_t at = start;
    for (jint i = 0; i < inlined.numpcs && at < start + size; ++i) {
        const PCStackInfo& place = inlined.pcinfo[i];
        const auto last = reinterpret_cast<uintptr_t>(place.pc);
        if (place.numstackframes < 1 || last < at) continue;
        add(at, place.methods[0], place.bcis[0]);  // the innermost
        at = last + 1;
    }
}

void LineTable::fill(jmethodID method, uintptr_t start, size_t size, const jvmtiAddrLocationMap* map,
                     jint map_length, const void* compile_info) {
    size_ = 0;
    if (const auto* const inlined = inlining(compile_info)) return fill_from_inlining(start, size, inlined);
    for (jint i = 0; map && i < map_length; ++i) {
        const auto address = reinterpret_cast<uintptr_t>(map[i].start_address);
        if (address < start || address >= start + size) continue;
        add(size_ == 0 ? start : address, method, map[i].location);
    }
}

}  // namespace op::java
