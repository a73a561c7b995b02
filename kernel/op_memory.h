/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of each CPU while the buffer is open: rings, store of slots, room of the handler.
 */
#ifndef OP_MEMORY_H
#define OP_MEMORY_H

#include <linux/types.h>

/*
 * Allocate it for all CPUs that are online, and from then on for others when they come online; free it. A CPU keeps it when it goes
 * offline. Process context, under op_mutex; the second one while nothing samples, and all slots are back.
 */
int op_alloc_memory(void);
void op_free_memory(void);

/* True if that many bytes are no more than half of the free memory: no process may be killed for them. Process context. */
bool op_fits_memory(u64 bytes);

#endif
