/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of records with one producer and one consumer, both lockless. Whole records go in or nothing does.
 */
#ifndef OP_RING_H
#define OP_RING_H

#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/types.h>

struct op_ring {
	void *data;
	size_t size; /* bytes, power of two */
	size_t head; /* bytes ever written; stored by the producer */
	size_t tail; /* bytes ever consumed; stored by the consumer */
};

/* A piece of what is written; pieces of one write lie one after another. */
struct op_piece {
	const void *data;
	size_t size; /* bytes */
};

int op_ring_alloc(struct op_ring *ring, size_t size, int node); /* size: a power of two */
void op_ring_free(struct op_ring *ring);

/* Producer: writes all pieces, or nothing and returns false if there is no room. */
bool op_ring_write(struct op_ring *ring, const struct op_piece *pieces, int count);

/* Consumer: copies size bytes from the tail on without consuming them; false if there are fewer. */
bool op_ring_peek(const struct op_ring *ring, void *to, size_t size);
/* Consumer: gives size bytes back. */
void op_ring_consume(struct op_ring *ring, size_t size);

/* Bytes in use, as seen from either side. */
static inline size_t op_ring_used(const struct op_ring *ring)
{
	return READ_ONCE(ring->head) - READ_ONCE(ring->tail);
}

/* Producer: bytes that can be written; only grows until it writes. */
static inline size_t op_ring_room(const struct op_ring *ring)
{
	return ring->size - (ring->head - smp_load_acquire(&ring->tail));
}

#endif
