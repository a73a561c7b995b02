/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From registers to records: kernel addresses at once, user addresses by the sampled process itself on its way back to user
 * mode.
 */
#ifndef OP_SAMPLE_H
#define OP_SAMPLE_H

#include <linux/types.h>

/* The stores of samples that wait to be placed. Process context, under op_mutex. */
u64 op_stores_size(unsigned long samples, unsigned long depth); /* bytes that the next call will take */
int op_alloc_stores(unsigned long samples, unsigned long depth);
/* Waits until every store is whole again, then frees all. False if that did not happen in time: nothing was freed. */
bool op_free_stores(unsigned int seconds);

/* Sampling is about to start: samples count anew. */
void op_start_epoch(void);

/*
 * Sampling has stopped: waits a while for samples that are not placed yet, then counts the rest as lost; what is placed later
 * is thrown away.
 */
void op_settle(void);

/* No code of this module runs any more for a sampled process. May sleep. */
void op_quiesce(void);

#endif
