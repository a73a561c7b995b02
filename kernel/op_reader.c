// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file `buffer` and its reader, who makes one stream of uapi/op_stream.h of all rings, the images that they name, modules and
 * losses.
 */
#include "op_reader.h"

#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/sched/mm.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "compat.h"
#include "op_buffer.h"
#include "op_exe.h"
#include "op_image.h"
#include "op_main.h"
#include "op_maps.h"
#include "op_modules.h"
#include "op_stats.h"

#define OP_MIN_READ 4096
#define OP_READ_SIZE (256 * 1024)

/* The consumer's side of the rings, of images and of losses. op_mutex is never taken inside it, nor it inside op_mutex. */
static DEFINE_MUTEX(read_mutex);
static char *read_room; /* OP_READ_SIZE bytes while the buffer is open; content: read_mutex */
static unsigned int first_cpu; /* with which the next read begins; read_mutex */
static size_t read_kept; /* bytes in read_room that could not be delivered, because the reader's address was bad; read_mutex */

/* A CPU's losses and missed periods since load that the reader has got, or that were before it opened the buffer. */
struct op_delivered {
	u64 count[OP_STATS];
};

static DEFINE_PER_CPU(struct op_delivered, op_delivered); /* read_mutex */

static const struct {
	enum op_stat stat;
	enum op_loss cause;
} losses[] = {
	{ OP_STAT_NESTED, OP_LOSS_NESTED },	    { OP_STAT_OVERFLOW, OP_LOSS_KERNEL_BUFFER },
	{ OP_STAT_NO_MM, OP_LOSS_NO_PROCESS },	    { OP_STAT_NO_MAPPING, OP_LOSS_NO_MAPPING },
	{ OP_STAT_PENDING, OP_LOSS_PENDING },
};

/* The buffer that a read fills with records; read_mutex. */
struct op_out {
	char *room;
	size_t size; /* bytes of room */
	size_t used;
};

static void *out_here(struct op_out *out, size_t size)
{
	return out->size - out->used >= size ? out->room + out->used : NULL;
}

/* Puts all images that wait, as they come before the records that use them. False if there is no room. */
static bool put_images(struct op_out *out)
{
	int size;

	if (!op_image_waits())
		return true;
	while ((size = op_next_image((void *)(out->room + out->used), out->size - out->used)) > 0) {
		out->used += size;
		op_announced();
	}
	return size == 0;
}

/*
 * Puts all mappings that wait. Each after the images that were new when it was made: those that come meanwhile are put before the
 * next. False if there is no room.
 */
static bool put_maps(struct op_out *out)
{
	void *here;
	size_t size;

	while (op_maps_wait() && (size = op_next_maps_size())) {
		here = put_images(out) ? out_here(out, size) : NULL;
		if (!here)
			return false;
		op_take_maps(here);
		out->used += size;
	}
	return true;
}

/* What comes before a sample that names it. */
static bool put_named(struct op_out *out)
{
	return put_maps(out) && put_images(out);
}

/* A sample may have been taken while the thread's name was being written, before what was behind it was cleared. */
static void clear_behind_name(struct op_record_context *context)
{
	size_t length = strnlen(context->comm, OP_COMM_SIZE - 1);

	memset(context->comm + length, 0, OP_COMM_SIZE - length);
}

static bool put_context(struct op_out *out, const struct op_record_context *context)
{
	void *here = out_here(out, sizeof(*context));

	if (!here)
		return false;
	memcpy(here, context, sizeof(*context));
	clear_behind_name(here);
	out->used += sizeof(*context);
	return true;
}

static bool put_time(struct op_out *out, const struct op_record_sample_time *time)
{
	void *here;

	if (!time->time)
		return true;
	here = out_here(out, sizeof(*time));
	if (!here)
		return false;
	memcpy(here, time, sizeof(*time));
	out->used += sizeof(*time);
	return true;
}

/* Puts what has to come before a sample. False if there is no room. */
static bool put_due(struct op_out *out, struct op_read_state *read)
{
	if (read->context_due && (!put_named(out) || !put_context(out, &read->context)))
		return false;
	read->context_due = false;
	if (read->time_due && !put_time(out, &read->time))
		return false;
	read->time_due = false;
	return true;
}

/* Takes a handler's context from the ring, and finds the cookie of its executable. */
static void finish_irq_context(struct op_ring *ring, struct op_record_context *context)
{
	struct op_record_irq_context c;

	op_ring_take(ring, &c, sizeof(c));
	c.context.app = op_exe_cookie(c.mm);
	mmdrop(c.mm);
	*context = c.context;
	context->header = (struct op_record_header){ .type = OP_RECORD_CONTEXT, .size = sizeof(*context) };
}

/* Moves the record at the ring's tail. False if there is no room for it and for the images before it. */
static bool put_record(struct op_out *out, struct op_ring *ring, size_t size)
{
	void *here;

	if (!put_named(out))
		return false;
	here = out_here(out, size);
	if (!here)
		return false;
	op_ring_take(ring, here, size);
	out->used += size;
	return true;
}

static bool is_sample(const struct op_record_header *head)
{
	return head->type == OP_RECORD_PLACED || head->type == OP_RECORD_PLACED_RAW || head->type == OP_RECORD_PLACED_STACK;
}

/* Takes a record that holds for the samples behind it. False, with nothing done, if it is no such record. */
static bool take_state(struct op_ring *ring, const struct op_record_header *head, struct op_read_state *read)
{
	switch (head->type) {
	case OP_RECORD_IRQ_CONTEXT:
		finish_irq_context(ring, &read->context);
		read->context_due = true;
		return true;
	case OP_RECORD_CONTEXT:
		op_ring_take(ring, &read->context, sizeof(read->context));
		read->context_due = true;
		return true;
	case OP_RECORD_SAMPLE_TIME:
		op_ring_take(ring, &read->time, sizeof(read->time));
		read->time_due = true;
		return true;
	default:
		return false;
	}
}

/*
 * Moves the records of one ring into the room. A context and a time are kept, and written before the first sample that needs them,
 * so that they stay valid from one read to the next. False if the room is used up.
 */
static bool drain_ring(struct op_out *out, struct op_ring *ring, struct op_read_state *read)
{
	const struct op_record_header *head;

	read->context_due = true;
	read->time_due = true;
	while ((head = op_ring_front(ring))) {
		if (take_state(ring, head, read))
			continue;
		if (is_sample(head) && !put_due(out, read))
			return false;
		if (!put_record(out, ring, head->size))
			return false;
	}
	return true;
}

static bool put_loss(struct op_out *out, unsigned int cpu, enum op_loss cause, u64 count)
{
	struct op_record_lost *record = out_here(out, sizeof(*record));

	if (!record)
		return false;
	*record = (struct op_record_lost){
		.header = { .type = OP_RECORD_LOST, .flags = cause, .size = sizeof(*record) },
		.count = count,
		.cpu = cpu,
	};
	out->used += sizeof(*record);
	return true;
}

static bool put_losses(struct op_out *out, unsigned int cpu)
{
	struct op_delivered *d = per_cpu_ptr(&op_delivered, cpu);
	int i;

	for (i = 0; i < ARRAY_SIZE(losses); i++) {
		enum op_stat stat = losses[i].stat;
		u64 now = op_stat_total(cpu, stat);
		u64 count = now - d->count[stat];

		if (!count)
			continue;
		if (!put_loss(out, cpu, losses[i].cause, count))
			return false;
		d->count[stat] = now;
	}
	return true;
}

static bool put_missed(struct op_out *out, unsigned int cpu)
{
	u64 *delivered = &per_cpu_ptr(&op_delivered, cpu)->count[OP_STAT_OVERRUN];
	u64 now = op_stat_total(cpu, OP_STAT_OVERRUN);
	struct op_record_missed *record;

	if (now == *delivered)
		return true;
	record = out_here(out, sizeof(*record));
	if (!record)
		return false;
	*record = (struct op_record_missed){
		.header = { .type = OP_RECORD_MISSED, .size = sizeof(*record) },
		.count = now - *delivered,
		.cpu = cpu,
	};
	out->used += sizeof(*record);
	*delivered = now;
	return true;
}

static bool put_modules(struct op_out *out)
{
	int size;

	while ((size = op_take_module((void *)(out->room + out->used), out->size - out->used)) > 0)
		out->used += size;
	return size == 0;
}

static bool drain_cpu(struct op_out *out, unsigned int cpu)
{
	struct op_cpu_rings *rings = per_cpu_ptr(&op_rings, cpu);
	int kind;

	for (kind = 0; kind < OP_RINGS; kind++)
		if (!drain_ring(out, &rings->ring[kind], &rings->read[kind]))
			return false;
	return put_losses(out, cpu) && put_missed(out, cpu);
}

/*
 * Fills the room. False if it was used up before everything was in it: then the next read begins with another CPU, so that no CPU
 * has to wait for a busier one.
 */
static bool drain(struct op_out *out)
{
	unsigned int cpu;

	if (!put_modules(out))
		return false;
	for_each_cpu_wrap(cpu, cpu_possible_mask, first_cpu) {
		if (!drain_cpu(out, cpu)) {
			first_cpu = (cpu + 1) % nr_cpu_ids;
			return false;
		}
	}
	return true;
}

static ssize_t wait_for_records(struct file *file)
{
	if (file->f_flags & O_NONBLOCK)
		return 0;
	return wait_event_interruptible(op_read_wait, READ_ONCE(op_read_ready) || !op_is_sampling());
}

/*
 * Fills the room, unless it still contains what could not be delivered, and copies it; read_mutex is held. If records are left, the
 * next read does not wait.
 */
static ssize_t deliver(char __user *to, size_t count)
{
	struct op_out out = { .room = read_room, .size = min_t(size_t, count, OP_READ_SIZE), .used = read_kept };
	bool all = false;

	if (read_kept > count)
		return -EINVAL;
	WRITE_ONCE(op_read_ready, false);
	smp_mb(); /* before the rings are looked at; pairs with the one of wake() */
	if (!read_kept)
		all = drain(&out);
	if (!all)
		WRITE_ONCE(op_read_ready, true);
	if (!all && !out.used)
		return -EINVAL;
	read_kept = out.used;
	if (copy_to_user(to, read_room, out.used)) {
		WRITE_ONCE(op_read_ready, true);
		return -EFAULT;
	}
	read_kept = 0;
	return out.used;
}

static ssize_t buffer_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	ssize_t result;

	if (count < (op_settings.stack_size ? OP_READ_SIZE : OP_MIN_READ))
		return -EINVAL;
	result = wait_for_records(file);
	if (result)
		return result;
	mutex_lock(&read_mutex);
	result = deliver(to, count);
	mutex_unlock(&read_mutex);
	return result || !(file->f_flags & O_NONBLOCK) ? result : -EAGAIN;
}

static __poll_t buffer_poll(struct file *file, poll_table *table)
{
	poll_wait(file, &op_read_wait, table);
	return READ_ONCE(op_read_ready) || !op_is_sampling() ? EPOLLIN | EPOLLRDNORM : 0;
}

static void reset_reader(void)
{
	unsigned int cpu;
	int i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < OP_STATS; i++)
			per_cpu(op_delivered, cpu).count[i] = op_stat_total(cpu, i);
	op_restart_stats();
	WRITE_ONCE(op_read_ready, false);
	read_kept = 0;
	first_cpu = 0;
}

static int buffer_open(struct inode *inode, struct file *file)
{
	int error;

	if (!perfmon_capable())
		return -EPERM;
	mutex_lock(&op_mutex);
	error = op_set_up();
	if (!error)
		reset_reader();
	mutex_unlock(&op_mutex);
	return error ? error : stream_open(inode, file);
}

static int buffer_release(struct inode *inode, struct file *file)
{
	mutex_lock(&op_mutex);
	op_stop();
	op_shut_down();
	mutex_unlock(&op_mutex);
	return 0;
}

const struct file_operations op_buffer_fops = {
	.owner = THIS_MODULE,
	.open = buffer_open,
	.release = buffer_release,
	.read = buffer_read,
	.poll = buffer_poll,
	OP_NO_LLSEEK
};

void op_drop_records(struct op_ring *ring)
{
	const struct op_record_header *head;
	struct op_record_context context;

	while (ring->data && (head = op_ring_front(ring))) {
		if (head->type == OP_RECORD_IRQ_CONTEXT)
			finish_irq_context(ring, &context);
		else
			op_ring_drop(ring, head->size);
	}
}

int op_alloc_read_room(void)
{
	read_room = vmalloc(OP_READ_SIZE);
	return read_room ? 0 : -ENOMEM;
}

void op_free_read_room(void)
{
	vfree(read_room);
	read_room = NULL;
}
