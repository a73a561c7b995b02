/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of records with one producer and one consumer, both lockless. A write puts in all of its records or none. Records are
 * aligned and of whole 8-byte words, so that a word never wraps.
 */
#ifndef OP_RING_H
#define OP_RING_H

#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/types.h>

struct op_ring {
	void *data; /* constant while in use */
	size_t size; /* bytes, a power of two; constant while in use */
	size_t head; /* bytes ever written; stored by the producer, with release */
	size_t tail; /* bytes ever consumed; stored by the consumer, with release */
};

/* A piece of a write; the pieces of one write are put one after another. */
struct op_piece {
	const void *data;
	size_t size; /* bytes */
};

int op_ring_alloc(struct op_ring *ring, size_t size, int node); /* size: a power of two */
void op_ring_free(struct op_ring *ring);

/*
 * Producer: writes all pieces; false if there is no room for all: nothing is written. Behind them come `behind` bytes that
 * op_ring_copy_user() has put there.
 */
bool op_ring_write(struct op_ring *ring, const struct op_piece *pieces, int count, size_t behind);

/*
 * Producer: copies user memory of the current process to where it will be behind pieces of `skip` bytes; there is room for all.
 * Returns the bytes copied, a multiple of 8: up to the first page that is not in memory. Any context.
 */
size_t op_ring_copy_user(struct op_ring *ring, size_t skip, u64 from, size_t size);

/* Consumer: the first word of the record at the tail; NULL if the ring is empty. Valid until that record is freed. */
static inline const void *op_ring_front(const struct op_ring *ring)
{
	/* Pairs with op_ring_write(). */
	if (smp_load_acquire(&ring->head) == ring->tail)
		return NULL;
	return (const char *)ring->data + (ring->tail & (ring->size - 1));
}

/* Consumer: frees size bytes at the tail, which are there; the first also copies them. */
void op_ring_take(struct op_ring *ring, void *to, size_t size);
void op_ring_drop(struct op_ring *ring, size_t size);

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
