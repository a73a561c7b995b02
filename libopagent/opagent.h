/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interface for programs that make code while they run, such as JIT compilers: they report each function, so
 * that a profiler can name it. Compatible with OProfile's libopagent.so.1 (symbol version OPAGENT_1.0).
 *
 * All functions may be called by any thread, but not by a signal handler. They leave errno alone if they
 * succeed. After fork() the handle of the parent does nothing in the child, which may open one of its own.
 */
#ifndef OPAGENT_H
#define OPAGENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* op_agent_t;

/* Code from `vma` on belongs to line `lineno` of `filename`, any form of path. */
struct debug_line_info {
    unsigned long vma;
    unsigned int lineno;
    char const* filename;
};

/* Opens the file for this process. Returns NULL and sets errno if that fails. */
op_agent_t op_open_agent(void);

/* Ends the file. Returns 0, or -1 and sets errno: EINVAL if `hdl` is no open handle. */
int op_close_agent(op_agent_t hdl);

/*
 * Reports a function of `size` bytes at `vma`. `symbol_name` should distinguish functions, for example with
 * class and signature. `code` is where its bytes can be read now, or NULL. Returns 0, or -1 and sets errno.
 */
int op_write_native_code(op_agent_t hdl, char const* symbol_name, uint64_t vma, void const* code,
                         unsigned int const size);

/*
 * Reports the lines of the function that was reported last with this `code`, in order of addresses. Returns
 * 0, or -1 and sets errno.
 */
int op_write_debug_line_info(op_agent_t hdl, void const* code, size_t nr_entry,
                             struct debug_line_info const* compile_map);

/* Reports that the function at `vma` is gone. Returns 0, or -1 and sets errno. */
int op_unload_native_code(op_agent_t hdl, uint64_t vma);

/* The version of this interface: 1 and 0. */
int op_major_version(void);
int op_minor_version(void);

#ifdef __cplusplus
}
#endif

#endif
