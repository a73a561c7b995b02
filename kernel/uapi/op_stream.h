/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * The op_stream: records from a sample source to its reader, and the format of recorded stream files.
 * Plain C with fixed-width fields in host byte order, no pointers, no implicit padding; compiles as C in the
 * kernel and as C++ in libop. Byte tables: doc/FORMATS.md, "Stream".
 */
#ifndef OP_STREAM_H
#define OP_STREAM_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/build_bug.h>
typedef __u8 op_u8;
typedef __u16 op_u16;
typedef __u32 op_u32;
typedef __u64 op_u64;
#else
#include <stdint.h>
typedef uint8_t op_u8;
typedef uint16_t op_u16;
typedef uint32_t op_u32;
typedef uint64_t op_u64;
#endif

#define OP_STREAM_MAGIC 0x4D52545347504FULL /* "OPGSTRM" as little-endian bytes, 8th byte 0 */
#define OP_STREAM_VERSION 1

/* First bytes of a recorded stream file. */
struct op_stream_file {
	op_u64 magic;
	op_u32 version;
	op_u32 header_size; /* bytes from the file's start to the first record; multiple of 8 */
};

enum op_record_type {
	OP_RECORD_SAMPLE = 1,
	OP_RECORD_MAPPING = 2,
	OP_RECORD_UNMAPPING = 3,
	OP_RECORD_NAME = 4,
	OP_RECORD_FORK = 5,
	OP_RECORD_EXIT = 6,
	OP_RECORD_LOST = 7,
	OP_RECORD_THROTTLE = 8,
	OP_RECORD_SESSION = 9, /* recorded files only: machine and events, once, before anything else */
	OP_RECORD_CONTEXT = 10, /* driver: whose samples follow, and on which CPU */
	OP_RECORD_IMAGE = 11, /* driver: the file or region of a cookie; comes before its first use */
	OP_RECORD_PLACED = 12, /* driver: a sample whose image is known */
	OP_RECORD_TIME = 13, /* how long an event was counted */
	OP_RECORD_LOST_SIDE_BAND = 14, /* mappings, names, forks and exits that were lost */
	OP_RECORD_PLACED_RAW = 15, /* driver: a placed sample and what the kernel's PMU recorded about it */
	OP_RECORD_MISSED = 16, /* driver: periods that ended without a sample */
	OP_RECORD_MAPS = 17, /* driver: the executable mappings of a process, for the stacks that name them */
	OP_RECORD_PLACED_STACK = 18, /* driver: a placed sample and a copy of the process' stack */
	OP_RECORD_SAMPLE_TIME = 19, /* driver: when the placed samples that follow were taken */
};

/* Why samples were lost; libop's LossCause has the same numbers (libop/stream/stream.cpp asserts it). */
enum op_loss {
	OP_LOSS_KERNEL_BUFFER = 0, /* a ring was full */
	OP_LOSS_NO_MAPPING = 1, /* user address in no mapping */
	OP_LOSS_NO_PROCESS = 10, /* the process ended before its sample could be placed */
	OP_LOSS_NESTED = 11, /* taken while the same CPU was taking one */
	OP_LOSS_PENDING = 12, /* the sample could not be placed before sampling stopped, or within a second */
};

enum op_cpu_mode {
	OP_MODE_USER = 0,
	OP_MODE_KERNEL = 1,
	OP_MODE_GUEST = 2,
};

/* Every record starts with this; a reader skips types it does not know by size. */
struct op_record_header {
	op_u16 type;
	op_u16 flags; /* per type */
	op_u32 size; /* of the whole record, bytes; multiple of 8 */
};

/* Followed by `frames` op_u64 return addresses, innermost first, kernel frames before user frames. */
struct op_record_sample {
	struct op_record_header header;
	op_u64 time; /* ns */
	op_u64 pc;
	op_u32 tgid;
	op_u32 tid;
	op_u32 cpu;
	op_u16 event;
	op_u8 mode; /* enum op_cpu_mode */
	op_u8 stack_end; /* 0: not known; else 1 + the reason why there are no more frames (doc/FORMATS.md) */
	op_u16 frames;
	op_u16 kernel_frames;
	op_u32 weight; /* counts as that many samples; 0 = as one */
};

/*
 * header.flags: OP_MAPPING_KERNEL; OP_MAPPING_EXACT: the path has no mark of deletion, even if it looks like it;
 * OP_MAPPING_FILE: a struct op_file_identity follows; OP_MAPPING_GENERATION: behind it an op_u64, the generation of
 * the inode. Followed by the path, then the build-id, then these, each unpadded; zeros to size.
 */
#define OP_MAPPING_KERNEL 1
#define OP_MAPPING_EXACT 2
#define OP_MAPPING_FILE 4
#define OP_MAPPING_GENERATION 8
struct op_file_identity {
	op_u32 device_major, device_minor;
	op_u64 inode;
};

struct op_record_mapping {
	struct op_record_header header;
	op_u64 time;
	op_u64 start;
	op_u64 length; /* bytes */
	op_u64 file_offset; /* bytes */
	op_u32 tgid;
	op_u16 path_size;
	op_u16 build_id_size;
};

struct op_record_unmapping {
	struct op_record_header header;
	op_u64 time;
	op_u64 start;
	op_u64 length;
	op_u32 tgid;
	op_u32 reserved;
};

/* header.flags: OP_NAME_EXEC. Followed by the name; zeros to size. */
#define OP_NAME_EXEC 1
struct op_record_name {
	struct op_record_header header;
	op_u64 time;
	op_u32 tgid;
	op_u32 tid;
	op_u32 name_size;
	op_u32 reserved;
};

struct op_record_fork {
	struct op_record_header header;
	op_u64 time;
	op_u32 tgid;
	op_u32 tid;
	op_u32 parent_tgid;
	op_u32 parent_tid;
};

struct op_record_exit {
	struct op_record_header header;
	op_u64 time;
	op_u32 tgid;
	op_u32 tid;
};

/* header.flags: the cause, numbered as libop's LossCause. */
struct op_record_lost {
	struct op_record_header header;
	op_u64 count;
	op_u32 cpu;
	op_u32 reserved;
};

/* header.flags: 1 = periods are lengthened from now on, 0 = no longer. */
struct op_record_throttle {
	struct op_record_header header;
	op_u64 time;
	op_u32 cpu;
	op_u32 event;
};

/* Followed by `text_size` bytes of manifest text (JSON); zeros to size. */
struct op_record_session {
	struct op_record_header header;
	op_u64 text_size;
};

/*
 * The context of all placed samples up to the next context record. The driver restates it at the start of
 * every read of its buffer and whenever the CPU changes.
 */
#define OP_COMM_SIZE 16
struct op_record_context {
	struct op_record_header header;
	op_u32 cpu;
	op_u32 tgid; /* 0 = idle */
	op_u32 tid;
	op_u32 app; /* cookie of the process' executable; 0 = none: kernel threads and idle */
	char comm[OP_COMM_SIZE]; /* the thread's name; NUL-padded */
};

/*
 * A cookie names a file or, with OP_IMAGE_REGION, a memory region of one process that is no file. Cookies count
 * from 1 and are not reused while the buffer is open. Followed by the path as seen
 * from the reader (or the region's label: "anon", "[heap]", "[stack]", "[vdso]"), without NUL; zeros to size. The
 * path of a file that is unlinked ends in " (deleted)". The vDSO is one region of tgid 0 at 0 for all processes.
 */
#define OP_IMAGE_REGION 1
struct op_record_image {
	struct op_record_header header;
	op_u32 cookie;
	op_u32 tgid; /* regions: whose; files: 0 */
	op_u64 start; /* regions: run-time address; files: 0 */
	op_u64 length; /* regions: bytes; files: 0 */
	op_u64 device; /* files: st_dev as stat(2) gives it; regions: 0 */
	op_u64 inode; /* files: st_ino; regions: 0 */
	op_u32 path_size; /* bytes */
	op_u32 reserved;
};

/*
 * Place of an address: offset bytes into the file, or bytes from the region's start. Cookie 0: the address itself,
 * of the kernel in kernel mode, else of the process.
 */
struct op_place {
	op_u64 offset;
	op_u32 image; /* cookie or 0 */
	op_u32 reserved;
};

/*
 * Followed by `frames` struct op_place, the callers, innermost first; the first `kernel_frames` of them are kernel
 * addresses. header.flags: the sample counts as that many; 0 = as one.
 *
 * stack_end: 0: not known; else 1 + the reason why there are no more frames, as of op_record_sample.
 *
 * OP_RECORD_PLACED_RAW is the same with header.flags bytes behind the callers, then zeros to size: the beginning of the
 * raw data of the event's PMU (PERF_SAMPLE_RAW of perf_event_open(2)), at most OP_MAX_RAW bytes.
 */
#define OP_MAX_RAW 64
struct op_record_placed {
	struct op_record_header header;
	struct op_place place;
	op_u16 event; /* the counter's number: its directory in oprofilefs */
	op_u8 mode; /* enum op_cpu_mode */
	op_u8 stack_end;
	op_u16 frames;
	op_u16 kernel_frames;
};

/*
 * OP_RECORD_PLACED_STACK is a placed record whose callers are all the kernel's, then this, `registers` op_u64: the pc, and the
 * others by their numbers in call frame information from 0 on (x86-64: 16; AArch64: x0 to x30 and sp), and `bytes` of the stack
 * from its pointer on. Less than `wanted` are copied where a page is not in memory; `wanted` ends with the stack, or with
 * `stack_size` bytes: then OP_STACK_IS_LONGER is set.
 */
#define OP_STACK_END_ROOT 1
#define OP_STACK_END_NOT_COPIED 12
#define OP_STACK_32BIT 1 /* of a 32-bit program */
#define OP_STACK_IS_LONGER 2
struct op_user_stack {
	op_u32 maps; /* the number of a maps record that came before */
	op_u16 flags;
	op_u16 registers;
	op_u32 bytes; /* multiple of 8 */
	op_u32 wanted; /* the same */
};

/*
 * The executable mappings of a process, for the stacks that name its number. Numbers count from 1 and are not used twice while the
 * buffer is open. Followed by `mappings` struct op_mapped in ascending order; header.flags: OP_MAPS_CUT: there are more.
 * One that another of its slot has replaced may still be named by samples that were in a ring by then. At most 4096 wait to be
 * read, so that a reader may forget it once 8192 others were replaced.
 */
#define OP_MAPS_CUT 1
#define OP_MAPS_SLOTS 1024
struct op_record_maps {
	struct op_record_header header;
	op_u32 number;
	op_u32 slot; /* less than OP_MAPS_SLOTS */
	op_u32 tgid;
	op_u32 mappings;
};

struct op_mapped {
	op_u64 start; /* run-time address */
	op_u64 length; /* bytes */
	op_u64 offset; /* of `start` in the image, bytes */
	op_u32 image; /* cookie */
	op_u32 reserved;
};

/*
 * The time of all placed samples up to the next such record, whatever their context. A recorded stream has their exact time, and 0
 * where it is not known. The driver's were taken then or less than OP_SAMPLE_TIME_SPAN later; it restates the time as the context.
 */
#define OP_SAMPLE_TIME_SPAN 1000000
struct op_record_sample_time {
	struct op_record_header header;
	op_u64 time; /* ns of CLOCK_MONOTONIC */
};

/* Since the last such record of the event, or since the start. */
struct op_record_time {
	struct op_record_header header;
	op_u64 enabled; /* ns for which the event was enabled */
	op_u64 running; /* ns of these in which a counter counted it */
	op_u32 event;
	op_u32 reserved;
};

struct op_record_lost_side_band {
	struct op_record_header header;
	op_u64 count; /* records */
};

/* Of a timer, since the last such record of the CPU. They are not samples, so no loss record contains them. */
struct op_record_missed {
	struct op_record_header header;
	op_u64 count; /* periods */
	op_u32 cpu;
	op_u32 reserved;
};

#ifdef __cplusplus
#define OP_STREAM_SIZE(type, bytes) static_assert(sizeof(struct type) == (bytes), #type)
#else
#define OP_STREAM_SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)
#endif
OP_STREAM_SIZE(op_stream_file, 16);
OP_STREAM_SIZE(op_record_header, 8);
OP_STREAM_SIZE(op_record_sample, 48);
OP_STREAM_SIZE(op_record_mapping, 48);
OP_STREAM_SIZE(op_file_identity, 16);
OP_STREAM_SIZE(op_record_unmapping, 40);
OP_STREAM_SIZE(op_record_name, 32);
OP_STREAM_SIZE(op_record_fork, 32);
OP_STREAM_SIZE(op_record_exit, 24);
OP_STREAM_SIZE(op_record_lost, 24);
OP_STREAM_SIZE(op_record_throttle, 24);
OP_STREAM_SIZE(op_record_session, 16);
OP_STREAM_SIZE(op_record_context, 40);
OP_STREAM_SIZE(op_record_image, 56);
OP_STREAM_SIZE(op_place, 16);
OP_STREAM_SIZE(op_record_placed, 32);
OP_STREAM_SIZE(op_user_stack, 16);
OP_STREAM_SIZE(op_record_maps, 24);
OP_STREAM_SIZE(op_mapped, 32);
OP_STREAM_SIZE(op_record_sample_time, 16);
OP_STREAM_SIZE(op_record_time, 32);
OP_STREAM_SIZE(op_record_lost_side_band, 16);
OP_STREAM_SIZE(op_record_missed, 24);

#endif
