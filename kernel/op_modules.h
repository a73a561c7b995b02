/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modules that are loaded while the buffer is open: their address range and name, for the reader.
 */
#ifndef OP_MODULES_H
#define OP_MODULES_H

#include <linux/types.h>

struct op_record_mapping;

/* From now on, until the other call. Process context. */
int op_watch_modules(void);
void op_unwatch_modules(void);

/* The next module's record, taken out of the list; 0 if there is none, -E2BIG if it needs more than size bytes. */
int op_take_module(struct op_record_mapping *record, size_t size);

#endif
