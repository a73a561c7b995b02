// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ring. Positions count all bytes ever written or consumed; an offset is a position modulo the size.
 */
#include "op_ring.h"

#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

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

static void copy_in(struct op_ring *ring, size_t at, const void *from, size_t size)
{
	size_t offset = at & (ring->size - 1);
	size_t first = min(size, ring->size - offset);

	memcpy(ring->data + offset, from, first);
	memcpy(ring->data, from + first, size - first);
}

bool op_ring_write(struct op_ring *ring, const struct op_piece *pieces, int count)
{
	size_t head = ring->head;
	size_t total = 0;
	int i;

	for (i = 0; i < count; i++)
		total += pieces[i].size;
	/* Pairs with op_ring_consume(): what is overwritten has been read. */
	if (total > op_ring_room(ring))
		return false;
	for (i = 0; i < count; i++) {
		copy_in(ring, head, pieces[i].data, pieces[i].size);
		head += pieces[i].size;
	}
	/* Pairs with op_ring_peek(): the bytes are written before the head moves. */
	smp_store_release(&ring->head, head);
	return true;
}

bool op_ring_peek(const struct op_ring *ring, void *to, size_t size)
{
	size_t offset = ring->tail & (ring->size - 1);
	size_t first = min(size, ring->size - offset);

	if (smp_load_acquire(&ring->head) - ring->tail < size)
		return false;
	memcpy(to, ring->data + offset, first);
	memcpy(to + first, ring->data, size - first);
	return true;
}

void op_ring_consume(struct op_ring *ring, size_t size)
{
	smp_store_release(&ring->tail, ring->tail + size);
}
