// SPDX-License-Identifier: GPL-2.0-or-later
// Checks and counts the driver's records.
#include "stream_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__attribute__((format(printf, 2, 3))) static void bad(struct stream_counts* counts, const char* format, ...) {
    if (counts->bad++ >= 20) return;
    va_list args;
    va_start(args, format);
    fputs("bad ", stdout);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}

static void* must(void* memory) {
    if (memory == NULL) abort();
    return memory;
}

// Adds one to the pair of this offset.
static void count_offset(struct stream_counts* counts, op_u64 offset) {
    size_t i = 0;
    while (i < counts->offset_count && counts->offsets[2 * i] != offset)
        i++;
    if (i == counts->offset_count) {
        counts->offsets = must(realloc(counts->offsets, (i + 1) * 2 * sizeof(op_u64)));
        counts->offsets[2 * i] = offset;
        counts->offsets[2 * i + 1] = 0;
        counts->offset_count++;
    }
    counts->offsets[2 * i + 1]++;
}

static struct image* image_of(struct stream_counts* counts, op_u32 cookie) {
    if (cookie >= counts->image_slots || counts->images[cookie].path == NULL) return NULL;
    return &counts->images[cookie];
}

static void take_image(struct stream_counts* counts, const struct op_record_image* record) {
    const char* path = (const char*)(record + 1);
    op_u64 room = record->header.size - sizeof *record;
    if (record->path_size > room || room - record->path_size >= 8)
        return bad(counts, "image: path of %u in %llu bytes", record->path_size, (unsigned long long)room);
    if (memchr(path, 0, record->path_size) != NULL) bad(counts, "image: NUL in the path");
    if (record->cookie == 0 || record->cookie > 1u << 24)
        return bad(counts, "image: cookie %u", record->cookie);
    if (image_of(counts, record->cookie) != NULL)
        return bad(counts, "image: cookie %u again", record->cookie);
    int region = record->header.flags & OP_IMAGE_REGION;
    if (!region && path[0] != '/') bad(counts, "image: a file called %.*s", (int)record->path_size, path);
    if (!region && (record->tgid || record->start || record->length))
        bad(counts, "image: a file with a region's place");
    if (region && (record->length == 0 || record->device || record->inode))
        bad(counts, "image: a region like a file");
    if (record->cookie >= counts->image_slots) {
        size_t slots = record->cookie * 2 + 64;
        counts->images = must(realloc(counts->images, slots * sizeof(struct image)));
        memset(counts->images + counts->image_slots, 0, (slots - counts->image_slots) * sizeof(struct image));
        counts->image_slots = slots;
    }
    counts->images[record->cookie].path = must(strndup(path, record->path_size));
    counts->announced++;
}

static struct comm* comm_of(struct stream_counts* counts, const char* name) {
    for (size_t i = 0; i < counts->comm_count; i++)
        if (strcmp(counts->comms[i].name, name) == 0) return &counts->comms[i];
    if (counts->comm_count == max_comms) return &counts->comms[0];
    struct comm* comm = &counts->comms[counts->comm_count++];
    strcpy(comm->name, name);
    return comm;
}

static void take_context(struct stream_counts* counts, const struct op_record_context* record) {
    char name[OP_COMM_SIZE + 1] = {0};
    memcpy(name, record->comm, OP_COMM_SIZE);
    for (size_t i = strlen(name); i < OP_COMM_SIZE; i++)
        if (record->comm[i] != 0) return bad(counts, "context: name not padded with NUL");
    if (record->cpu >= max_cpus) return bad(counts, "context: CPU %u", record->cpu);
    if (record->app != 0 && image_of(counts, record->app) == NULL)
        bad(counts, "context: app %u unknown", record->app);
    if ((record->tgid == 0) != (record->tid == 0))
        bad(counts, "context: tgid %u, tid %u", record->tgid, record->tid);
    counts->context = record;
    counts->comm = comm_of(counts, name);
    counts->contexts++;
}

static const struct op_user_stack* stack_of(const struct op_record_placed* record) {
    const struct op_place* frames = (const struct op_place*)(record + 1);
    if (record->header.type != OP_RECORD_PLACED_STACK) return NULL;
    return (const struct op_user_stack*)(const void*)(frames + record->frames);
}

static const struct op_record_maps* maps_of(const struct stream_counts* counts, op_u32 number) {
    return number < counts->maps_slots ? counts->maps[number] : NULL;
}

// The mapping of the address, or NULL.
static const struct op_mapped* mapping_of(const struct op_record_maps* maps, op_u64 address) {
    const struct op_mapped* mapped = (const struct op_mapped*)(const void*)(maps + 1);
    for (op_u32 i = 0; i < maps->mappings; i++)
        if (address - mapped[i].start < mapped[i].length) return &mapped[i];
    return NULL;
}

// Adds the words of a stack that are addresses of code: the return addresses, and what only looks like one.
static void add_words(const struct stream_counts* counts, const struct op_user_stack* stack,
                      struct chain* chain, size_t n) {
    const op_u64* registers = (const op_u64*)(stack + 1);
    const op_u64* words = registers + stack->registers;
    const struct op_record_maps* maps = maps_of(counts, stack->maps);
    if (chain->mode == OP_MODE_KERNEL) chain->at[n++] = registers[0];
    for (op_u32 i = 0; maps && i < stack->bytes / 8 && n < chain_depth; i++) {
        const struct op_mapped* mapped = mapping_of(maps, words[i]);
        if (mapped && chain->mode == OP_MODE_KERNEL) chain->at[n++] = words[i];
        if (mapped && chain->mode == OP_MODE_USER) chain->at[n++] = words[i] - mapped->start + mapped->offset;
    }
}

// Adds one to the chains like this sample's.
static void count_chain(struct stream_counts* counts, const struct op_record_placed* record) {
    const struct op_place* frames = (const struct op_place*)(record + 1);
    struct chain chain = {.mode = record->mode};
    size_t n = 0, i = 0;
    if (record->mode == OP_MODE_USER) chain.at[n++] = record->place.offset;
    for (int frame = record->kernel_frames; frame < record->frames && n < chain_depth; frame++)
        chain.at[n++] = frames[frame].offset;
    if (stack_of(record)) add_words(counts, stack_of(record), &chain, n);
    while (i < counts->chain_count && (counts->chains[i].mode != chain.mode ||
                                       memcmp(counts->chains[i].at, chain.at, sizeof chain.at) != 0))
        i++;
    if (i == counts->chain_count) {
        counts->chains = must(realloc(counts->chains, (i + 1) * sizeof chain));
        counts->chains[i] = chain;
        counts->chain_count++;
    }
    counts->chains[i].samples++;
}

// Both architectures have the kernel in the upper half.
static int in_kernel(const struct op_place* place) {
    return place->image == 0 && place->offset >> 63 != 0;
}

static void take_stack(struct stream_counts* counts, const struct op_record_placed* record) {
    const struct op_user_stack* stack = stack_of(record);
    size_t head = sizeof *record + record->frames * sizeof(struct op_place) + sizeof *stack;
    if (record->header.size < head ||
        record->header.size != head + stack->registers * sizeof(op_u64) + stack->bytes)
        return bad(counts, "stack: %u bytes and %u registers in %u bytes", stack->bytes, stack->registers,
                   record->header.size);
    const struct op_record_maps* maps = maps_of(counts, stack->maps);
    if (maps == NULL) return bad(counts, "stack: mappings %u unknown", stack->maps);
    if (maps->tgid != counts->context->tgid) bad(counts, "stack: mappings of another process");
    if (stack->bytes % 8 || stack->bytes > stack->wanted)
        bad(counts, "stack: %u bytes of %u", stack->bytes, stack->wanted);
    if (record->kernel_frames != record->frames) bad(counts, "stack: with callers of the process");
    if (record->stack_end != 0) bad(counts, "stack: it ends before its copy");
    counts->stacks[record->mode]++;
    counts->stack_bytes += stack->bytes;
    if (stack->bytes == stack->wanted && !(stack->flags & OP_STACK_IS_LONGER)) counts->whole_stacks++;
}

static void take_maps(struct stream_counts* counts, const struct op_record_maps* record) {
    const struct op_mapped* mapped = (const struct op_mapped*)(const void*)(record + 1);
    if (record->slot >= OP_MAPS_SLOTS || record->number == 0)
        return bad(counts, "mappings: number %u, slot %u", record->number, record->slot);
    if (record->header.size != sizeof *record + record->mappings * sizeof *mapped)
        return bad(counts, "mappings: %u in %u bytes", record->mappings, record->header.size);
    if (maps_of(counts, record->number)) bad(counts, "mappings: number %u again", record->number);
    for (op_u32 i = 0; i < record->mappings; i++) {
        if (mapped[i].length == 0 || (i > 0 && mapped[i].start < mapped[i - 1].start + mapped[i - 1].length))
            bad(counts, "mappings: not in order");
        if (mapped[i].image != 0 && image_of(counts, mapped[i].image) == NULL)
            bad(counts, "mappings: image %u unknown", mapped[i].image);
    }
    if (record->number >= counts->maps_slots) {
        size_t slots = record->number * 2 + 64;
        counts->maps = must(realloc(counts->maps, slots * sizeof *counts->maps));
        memset(counts->maps + counts->maps_slots, 0, (slots - counts->maps_slots) * sizeof *counts->maps);
        counts->maps_slots = slots;
    }
    counts->maps[record->number] = must(malloc(record->header.size));
    memcpy(counts->maps[record->number], record, record->header.size);
    counts->maps_records++;
}

static void check_frames(struct stream_counts* counts, const struct op_record_placed* record) {
    const struct op_place* frames = (const struct op_place*)(record + 1);
    if (record->header.type != OP_RECORD_PLACED_STACK &&
        record->header.size != sizeof *record + record->frames * sizeof(struct op_place))
        return bad(counts, "sample: %u callers in %u bytes", record->frames, record->header.size);
    if (record->kernel_frames > record->frames)
        return bad(counts, "sample: more kernel callers than callers");
    for (int i = 0; i < record->frames; i++) {
        if (i < record->kernel_frames && !in_kernel(&frames[i]))
            bad(counts, "sample: a kernel caller at %llx in image %u", (unsigned long long)frames[i].offset,
                frames[i].image);
        if (frames[i].image != 0 && image_of(counts, frames[i].image) == NULL)
            bad(counts, "sample: caller's image %u unknown", frames[i].image);
    }
    counts->frames += record->frames;
    counts->kernel_frames += record->kernel_frames;
    if (record->frames > counts->deepest) counts->deepest = record->frames;
}

static void take_placed(struct stream_counts* counts, const struct op_record_placed* record) {
    if (counts->context == NULL) return bad(counts, "sample: no context before it in this read");
    if (record->mode > OP_MODE_KERNEL) return bad(counts, "sample: mode %u", record->mode);
    if (record->event >= max_events) return bad(counts, "sample: event %u", record->event);
    if (record->place.reserved) bad(counts, "sample: reserved bytes in use");
    struct image* image = image_of(counts, record->place.image);
    if (record->place.image != 0 && image == NULL)
        bad(counts, "sample: image %u unknown", record->place.image);
    if (record->place.image != 0 && record->mode == OP_MODE_KERNEL)
        bad(counts, "sample: of the kernel in an image");
    check_frames(counts, record);
    if (stack_of(record)) take_stack(counts, record);
    if (record->stack_end == OP_STACK_END_NOT_COPIED) counts->not_copied++;
    if (!counts->is_timed) counts->untimed++;
    counts->placed[counts->context->cpu]++;
    counts->by_event[record->event]++;
    counts->by_mode[record->mode]++;
    counts->comm->samples++;
    if (counts->context->app != 0) counts->images[counts->context->app].as_app++;
    if (counts->chains_of && strcmp(counts->comm->name, counts->chains_of) == 0) count_chain(counts, record);
    if (record->mode == OP_MODE_USER && image == NULL) counts->user_nowhere++;
    if (record->mode == OP_MODE_KERNEL && counts->context->tgid == 0) counts->kernel_by_idle++;
    if (image == NULL) return;
    image->samples++;
    size_t length = strlen(image->path), wanted = counts->offsets_of ? strlen(counts->offsets_of) : 0;
    if (wanted != 0 && length >= wanted && strcmp(image->path + length - wanted, counts->offsets_of) == 0)
        count_offset(counts, record->place.offset);
}

static void take_lost(struct stream_counts* counts, const struct op_record_lost* record) {
    if (record->header.flags >= loss_causes) return bad(counts, "loss: cause %u", record->header.flags);
    if (record->cpu >= max_cpus) return bad(counts, "loss: CPU %u", record->cpu);
    if (record->count == 0) bad(counts, "loss: of nothing");
    counts->lost[record->cpu] += record->count;
    counts->lost_by_cause[record->header.flags] += record->count;
}

// What was sampled is the past, of this boot: at most ten minutes ago.
static void take_time(struct stream_counts* counts, const struct op_record_sample_time* record) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    op_u64 ns = (op_u64)now.tv_sec * 1000000000 + (op_u64)now.tv_nsec;
    if (record->time > ns)
        bad(counts, "time: %llu ns to come", (unsigned long long)(record->time - ns));
    else if (ns - record->time > 600000000000)
        bad(counts, "time: %llu ns ago", (unsigned long long)(ns - record->time));
    counts->is_timed = 1;
    counts->times++;
}

// The least size of a record of that type; 0 = the driver gives none of that type.
static size_t least_size(unsigned type) {
    switch (type) {
        case OP_RECORD_MAPPING:
            return sizeof(struct op_record_mapping);
        case OP_RECORD_LOST:
            return sizeof(struct op_record_lost);
        case OP_RECORD_THROTTLE:
            return sizeof(struct op_record_throttle);
        case OP_RECORD_MISSED:
            return sizeof(struct op_record_missed);
        case OP_RECORD_SAMPLE_TIME:
            return sizeof(struct op_record_sample_time);
        case OP_RECORD_CONTEXT:
            return sizeof(struct op_record_context);
        case OP_RECORD_IMAGE:
            return sizeof(struct op_record_image);
        case OP_RECORD_PLACED:
        case OP_RECORD_PLACED_STACK:
            return sizeof(struct op_record_placed);
        case OP_RECORD_MAPS:
            return sizeof(struct op_record_maps);
        default:
            return 0;
    }
}

static void take_record(struct stream_counts* counts, const struct op_record_header* record) {
    switch (record->type) {
        case OP_RECORD_MAPPING:
            counts->modules++;
            break;
        case OP_RECORD_THROTTLE:
            *(record->flags ? &counts->throttles : &counts->unthrottles) += 1;
            break;
        case OP_RECORD_LOST:
            take_lost(counts, (const void*)record);
            break;
        case OP_RECORD_MISSED:
            counts->missed += ((const struct op_record_missed*)(const void*)record)->count;
            break;
        case OP_RECORD_SAMPLE_TIME:
            take_time(counts, (const void*)record);
            break;
        case OP_RECORD_CONTEXT:
            take_context(counts, (const void*)record);
            break;
        case OP_RECORD_IMAGE:
            take_image(counts, (const void*)record);
            break;
        case OP_RECORD_MAPS:
            take_maps(counts, (const void*)record);
            break;
        default:
            take_placed(counts, (const void*)record);
            break;
    }
}

void take_read(struct stream_counts* counts, const void* bytes, size_t size) {
    counts->reads++;
    counts->context = NULL;
    counts->is_timed = 0;
    for (size_t at = 0; at < size;) {
        const struct op_record_header* record = (const void*)((const char*)bytes + at);
        if (size - at < sizeof *record || record->size > size - at || record->size % 8 != 0 ||
            record->size < 8)
            return bad(counts, "read: a record of %u bytes where %zu are left",
                       size - at < sizeof *record ? 0 : record->size, size - at);
        size_t least = least_size(record->type);
        if (least == 0 || record->size < least)
            bad(counts, "read: a record of type %u with %u bytes", record->type, record->size);
        else
            take_record(counts, record);
        at += record->size;
    }
}
