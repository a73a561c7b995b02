// SPDX-License-Identifier: GPL-2.0-or-later
// Checks the records of one reading of the driver's buffer against op_stream.h and counts them.
#pragma once

#include <stddef.h>

#include "kernel/uapi/op_stream.h"

enum { max_cpus = 256, max_events = 64, loss_causes = 16, max_comms = 4096 };

struct image {
    char* path;  ///< owned; NULL = cookie not announced
    op_u64 samples;
    op_u64 as_app;  ///< samples of processes with this executable
};

struct comm {
    char name[OP_COMM_SIZE + 1];
    op_u64 samples;
};

/// The user part of a call chain: the innermost address and its callers, as the record has them: offsets into
/// their images for user samples, addresses for kernel samples; 0 = none.
enum { chain_depth = 8 };
struct chain {
    int mode;  ///< of the sample
    op_u64 at[chain_depth];
    op_u64 samples;
};

struct stream_counts {
    struct image* images;  ///< by cookie; owned
    size_t image_slots;
    struct comm comms[max_comms];
    size_t comm_count;
    op_u64 placed[max_cpus];
    op_u64 lost[max_cpus];
    op_u64 lost_by_cause[loss_causes];
    op_u64 by_event[max_events];
    op_u64 by_mode[2];
    op_u64 user_nowhere;    ///< user samples without an image
    op_u64 kernel_by_idle;  ///< kernel samples of tgid 0
    op_u64 missed;
    op_u64 frames, kernel_frames, deepest, throttles, unthrottles, contexts, announced, modules, reads;
    op_u64 stacks[2];       ///< copies of stacks, by mode of the sample
    op_u64 times, untimed;  ///< records of times; samples without one before them in their read
    op_u64 stack_bytes, whole_stacks, not_copied, maps_records;
    struct op_record_maps** maps;  ///< by number; owned
    size_t maps_slots;
    const char* offsets_of;  ///< end of a path, or NULL: whose offsets to count
    op_u64* offsets;         ///< pairs (offset, samples), in the order of their first sample; owned
    size_t offset_count;
    const char* chains_of;  ///< a comm, or NULL: whose chains to count
    struct chain* chains;   ///< in the order of their first sample; owned
    size_t chain_count;
    int bad;                                  ///< breaches of the format; each is printed on stdout
    const struct op_record_context* context;  ///< within the read at hand
    struct comm* comm;                        ///< of that context
    int is_timed;                             ///< the read at hand has had a time
};

/// Takes the whole records of one read. Prints every breach.
void take_read(struct stream_counts* counts, const void* bytes, size_t size);
