/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modules that are loaded while the buffer is open: their address range and name, for the reader.
 */
#ifndef OP_MODULES_H
#define OP_MODULES_H

#include <linux/types.h>

struct op_record_mapping;

/* Start and stop the recording of loaded modules. Process context, under op_mutex. */
int op_watch_modules(void);
void op_unwatch_modules(void);

/* Takes the next record; returns its size, 0 if no record waits, -E2BIG if size is too small. For the reader. */
int op_take_module(struct op_record_mapping *record, size_t size);

#endif
