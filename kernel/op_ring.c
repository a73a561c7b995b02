// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ring. Positions count all bytes ever written or consumed; an offset is a position modulo the size.
 */
#include "op_ring.h"

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "op_backtrace.h"

#define OP_LONG_RECORD 512 /* bytes from which memcpy() is the faster way to copy a record */

int op_ring_alloc(struct op_ring *ring, size_t size, int node)
{
	void *data = vzalloc_node(size, node);

	if (!data)
		return -ENOMEM;
	ring->head = 0;
	ring->tail = 0;
	ring->data = data;
	ring->size = size;
	return 0;
}

void op_ring_free(struct op_ring *ring)
{
	vfree(ring->data);
	ring->data = NULL;
	ring->size = 0;
}

/* By words, as most records have four: less than calling memcpy() twice. */
static void copy_in(struct op_ring *ring, size_t at, const u64 *from, size_t size)
{
	size_t mask = ring->size / sizeof(u64) - 1;
	u64 *words = ring->data;
	size_t i;

	at /= sizeof(u64);
	for (i = 0; i < size / sizeof(u64); i++)
		words[(at + i) & mask] = from[i];
}

/* Bytes from the offset of a position to the end of the ring, `size` at most. */
static size_t first_part(const struct op_ring *ring, size_t at, size_t size)
{
	return min(size, ring->size - (at & (ring->size - 1)));
}

size_t op_ring_copy_user(struct op_ring *ring, size_t skip, u64 from, size_t size)
{
	size_t at = ring->head + skip;
	size_t first = first_part(ring, at, size);
	size_t copied = op_copy_user(ring->data + (at & (ring->size - 1)), from, first);

	if (copied == first && first < size)
		copied += op_copy_user(ring->data, from + first, size - first);
	return round_down(copied, sizeof(u64));
}

bool op_ring_write(struct op_ring *ring, const struct op_piece *pieces, int count, size_t behind)
{
	size_t head = ring->head;
	size_t total = behind;
	int i;

	for (i = 0; i < count; i++)
		total += pieces[i].size;
	/* Pairs with op_ring_drop(): what is overwritten has been read. */
	if (total > op_ring_room(ring))
		return false;
	for (i = 0; i < count; i++) {
		copy_in(ring, head, pieces[i].data, pieces[i].size);
		head += pieces[i].size;
	}
	/* Pairs with op_ring_front(): the bytes are written before the head moves. */
	smp_store_release(&ring->head, head + behind);
	return true;
}

/* With a stack. */
static void take_long(const struct op_ring *ring, void *to, size_t size)
{
	size_t first = first_part(ring, ring->tail, size);

	memcpy(to, ring->data + (ring->tail & (ring->size - 1)), first);
	memcpy(to + first, ring->data, size - first);
}

void op_ring_take(struct op_ring *ring, void *to, size_t size)
{
	size_t mask = ring->size / sizeof(u64) - 1;
	size_t at = ring->tail / sizeof(u64);
	const u64 *words = ring->data;
	u64 *copy = to;
	size_t i;

	if (size >= OP_LONG_RECORD) {
		take_long(ring, to, size);
	} else {
		for (i = 0; i < size / sizeof(u64); i++)
			copy[i] = words[(at + i) & mask];
	}
	op_ring_drop(ring, size);
}

void op_ring_drop(struct op_ring *ring, size_t size)
{
	smp_store_release(&ring->tail, ring->tail + size);
}
