// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The buffer: writers' side (contexts and samples into the rings of a CPU) and the reader's side (all rings, the images they
 * name, modules, losses, into one stream of uapi/op_stream.h).
 */
#include "op_buffer.h"

#include <linux/capability.h>
#include <linux/file.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/mm_types.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ktime.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "compat.h"
#include "op_image.h"
#include "op_main.h"
#include "op_modules.h"
#include "op_stats.h"

#define OP_MIN_READ 4096
#define OP_READ_SIZE (256 * 1024)
#define OP_MIN_RING (64 * 1024)

DEFINE_PER_CPU(struct op_cpu_rings, op_rings);

static DEFINE_MUTEX(read_mutex); /* the reader's side of rings, images, losses */
static DECLARE_WAIT_QUEUE_HEAD(read_wait);
static bool read_ready; /* set by writers, cleared by the reader */
static char *read_room; /* OP_READ_SIZE bytes; read_mutex */
static unsigned int first_cpu; /* with which the next read begins; read_mutex */
static size_t read_kept; /* bytes in it that a reader's bad address kept from being delivered; read_mutex */
static size_t wake_level; /* bytes in use at which a ring wakes the reader; constant while the buffer is open */
static struct irq_work wake_work;

/* Losses per CPU the reader was told of, and those of earlier runs he was not; read_mutex. */
struct op_told {
	u64 told[OP_STATS];
	u64 earlier[OP_STATS];
};

static DEFINE_PER_CPU(struct op_told, op_told);

static const struct {
	enum op_stat stat;
	enum op_loss cause;
} losses[] = {
	{ OP_STAT_NESTED, OP_LOSS_NESTED },	    { OP_STAT_OVERFLOW, OP_LOSS_KERNEL_BUFFER },
	{ OP_STAT_NO_MM, OP_LOSS_NO_PROCESS },	    { OP_STAT_NO_MAPPING, OP_LOSS_NO_MAPPING },
	{ OP_STAT_PENDING, OP_LOSS_PENDING },
};

/* ---- writers ---- */

static void wake_from_irq(struct irq_work *work)
{
	wake_up_interruptible(&read_wait);
}

void op_wake_reader(void)
{
	WRITE_ONCE(read_ready, true);
	wake_up_interruptible(&read_wait);
}

static void wake_if_full(const struct op_ring *ring)
{
	if (op_ring_used(ring) < wake_level || READ_ONCE(read_ready))
		return;
	WRITE_ONCE(read_ready, true);
	irq_work_queue(&wake_work);
}

void op_init_context(struct op_context *context, u32 cpu, u32 tgid, u32 tid, const char *comm)
{
	context->record = (struct op_record_context){
		.header = { .type = OP_RECORD_CONTEXT, .size = sizeof(context->record) },
		.cpu = cpu,
		.tgid = tgid,
		.tid = tid,
	};
	strscpy_pad(context->record.comm, comm, OP_COMM_SIZE);
	context->app_identity = NULL;
}

static bool same_context(const struct op_context *a, const struct op_context *b)
{
	return a->app_identity == b->app_identity && !memcmp(&a->record, &b->record, sizeof(a->record));
}

bool op_put_task_sample(struct op_context *context, const struct op_record_placed *sample)
{
	struct op_cpu_rings *rings = this_cpu_ptr(&op_rings);
	struct op_ring *ring = &rings->ring[OP_RING_TASK];
	bool same = same_context(context, &rings->written[OP_RING_TASK]);
	struct op_piece pieces[] = {
		{ &context->record, same ? 0 : sizeof(context->record) },
		{ sample, sample->header.size },
	};

	if (!op_ring_write(ring, pieces, ARRAY_SIZE(pieces)))
		return false;
	if (!same)
		rings->written[OP_RING_TASK] = *context;
	wake_if_full(ring);
	return true;
}

/*
 * The context of a handler's sample: with a cookie if the executable has one, else with a reference to it, for the reader to give
 * it one.
 */
static void find_app(struct op_record_irq_context *c, struct mm_struct *mm)
{
	if (!mm)
		return;
	rcu_read_lock();
	c->context.app = op_find_exe_cookie(mm);
	if (!c->context.app)
		c->exe = op_get_file_rcu(&mm->exe_file);
	rcu_read_unlock();
}

static const void *app_identity(struct mm_struct *mm)
{
	const void *identity;

	rcu_read_lock();
	identity = mm ? op_exe_inode(mm) : NULL;
	rcu_read_unlock();
	return identity;
}

bool op_put_irq_sample(struct op_context *context, struct mm_struct *mm, const struct op_record_placed *sample)
{
	struct op_cpu_rings *rings = this_cpu_ptr(&op_rings);
	struct op_ring *ring = &rings->ring[OP_RING_IRQ];
	struct op_record_irq_context c = {};
	struct op_piece pieces[] = {
		{ &c, sizeof(c) },
		{ sample, sample->header.size },
	};

	context->app_identity = app_identity(mm);
	if (same_context(context, &rings->written[OP_RING_IRQ])) {
		if (!op_ring_write(ring, pieces + 1, 1))
			return false;
	} else {
		/* Only the reader changes the room meanwhile, and only for the better. */
		if (op_ring_room(ring) < sizeof(c) + sample->header.size)
			return false;
		c.context = context->record;
		c.context.header = (struct op_record_header){ .type = OP_RECORD_IRQ_CONTEXT, .size = sizeof(c) };
		find_app(&c, mm);
		op_ring_write(ring, pieces, 2);
		rings->written[OP_RING_IRQ] = *context;
	}
	wake_if_full(ring);
	return true;
}

bool op_put_throttle(unsigned int counter, bool on)
{
	struct op_record_throttle record = {
		.header = { .type = OP_RECORD_THROTTLE, .flags = on, .size = sizeof(record) },
		.time = ktime_get_mono_fast_ns(),
		.cpu = smp_processor_id(),
		.event = counter,
	};
	struct op_piece piece = { &record, sizeof(record) };

	return op_ring_write(&this_cpu_ptr(&op_rings)->ring[OP_RING_IRQ], &piece, 1);
}

/* ---- the reader ---- */

/* Where a read puts what it finds. */
struct op_out {
	char *room;
	size_t size; /* bytes of room */
	size_t used;
};

static void *out_here(struct op_out *out, size_t size)
{
	return out->size - out->used >= size ? out->room + out->used : NULL;
}

/* Images must be known before records that use them. False if there is no room. */
static bool put_images(struct op_out *out)
{
	int size;

	while ((size = op_next_image((void *)(out->room + out->used), out->size - out->used)) > 0) {
		out->used += size;
		op_announced();
	}
	return size == 0;
}

static bool put_context(struct op_out *out, const struct op_record_context *context)
{
	void *here = out_here(out, sizeof(*context));

	if (!here)
		return false;
	memcpy(here, context, sizeof(*context));
	out->used += sizeof(*context);
	return true;
}

/* Gives the executable of a handler's context its cookie. */
static void finish_irq_context(struct op_ring *ring, struct op_record_context *context)
{
	struct op_record_irq_context c;

	op_ring_peek(ring, &c, sizeof(c));
	if (c.exe) {
		c.context.app = op_file_cookie(c.exe);
		fput(c.exe);
	}
	*context = c.context;
	context->header = (struct op_record_header){ .type = OP_RECORD_CONTEXT, .size = sizeof(*context) };
	op_ring_consume(ring, sizeof(c));
}

/* Copies the record at the ring's tail. False if there is no room for it and for the images before it. */
static bool put_record(struct op_out *out, struct op_ring *ring, const struct op_record_header *head)
{
	void *here;

	if (!put_images(out))
		return false;
	here = out_here(out, head->size);
	if (!here)
		return false;
	op_ring_peek(ring, here, head->size);
	op_ring_consume(ring, head->size);
	out->used += head->size;
	return true;
}

/*
 * Moves records of one ring into the room. Contexts are remembered, and written when the first record that needs one comes, so
 * that a ring's context holds from one read to the next. False if the room is used up.
 */
static bool drain_ring(struct op_out *out, struct op_ring *ring, struct op_record_context *context)
{
	struct op_record_header head;
	bool told = false;

	while (op_ring_peek(ring, &head, sizeof(head))) {
		if (head.type == OP_RECORD_IRQ_CONTEXT) {
			finish_irq_context(ring, context);
			told = false;
		} else if (head.type == OP_RECORD_CONTEXT) {
			op_ring_peek(ring, context, sizeof(*context));
			op_ring_consume(ring, sizeof(*context));
			told = false;
		} else {
			if (head.type == OP_RECORD_PLACED && !told) {
				if (!put_images(out) || !put_context(out, context))
					return false;
				told = true;
			}
			if (!put_record(out, ring, &head))
				return false;
		}
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
	struct op_told *t = per_cpu_ptr(&op_told, cpu);
	int i;

	for (i = 0; i < ARRAY_SIZE(losses); i++) {
		enum op_stat stat = losses[i].stat;
		u64 now = op_stat(cpu, stat);
		u64 count = now - t->told[stat] + t->earlier[stat];

		if (!count)
			continue;
		if (!put_loss(out, cpu, losses[i].cause, count))
			return false;
		t->told[stat] = now;
		t->earlier[stat] = 0;
	}
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
	return put_losses(out, cpu);
}

/*
 * Fills the room. False if it was used up before everything was in it: the next read begins with another CPU, so that none has
 * to wait for a busier one.
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

void op_restart_stats(void)
{
	unsigned int cpu;
	int i;

	mutex_lock(&read_mutex);
	for_each_possible_cpu(cpu) {
		struct op_told *t = per_cpu_ptr(&op_told, cpu);

		for (i = 0; i < OP_STATS; i++) {
			t->earlier[i] += op_stat(cpu, i) - t->told[i];
			t->told[i] = 0;
		}
	}
	op_clear_stats();
	mutex_unlock(&read_mutex);
}

static ssize_t wait_for_records(struct file *file)
{
	if (file->f_flags & O_NONBLOCK)
		return 0;
	return wait_event_interruptible(read_wait, READ_ONCE(read_ready) || READ_ONCE(op_state) != OP_RUNNING);
}

/*
 * Fills the room, unless it still holds what could not be delivered, and copies it; read_mutex is held. What does not fit keeps
 * the reader ready.
 */
static ssize_t deliver(char __user *to, size_t count)
{
	struct op_out out = { .room = read_room, .size = min_t(size_t, count, OP_READ_SIZE), .used = read_kept };
	bool all = false;

	if (read_kept > count)
		return -EINVAL;
	WRITE_ONCE(read_ready, false);
	if (!read_kept)
		all = drain(&out);
	if (!all)
		WRITE_ONCE(read_ready, true);
	if (!all && !out.used)
		return -EINVAL;
	read_kept = out.used;
	if (copy_to_user(to, read_room, out.used))
		return -EFAULT;
	read_kept = 0;
	return out.used;
}

static ssize_t buffer_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	ssize_t result;

	if (count < OP_MIN_READ)
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
	poll_wait(file, &read_wait, table);
	return READ_ONCE(read_ready) || READ_ONCE(op_state) != OP_RUNNING ? EPOLLIN | EPOLLRDNORM : 0;
}

static void reset_reader(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		*per_cpu_ptr(&op_told, cpu) = (struct op_told){};
	op_clear_stats();
	read_ready = false;
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
	if (op_state == OP_RUNNING)
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

/* ---- life ---- */

static int alloc_cpu_rings(unsigned int cpu, size_t size)
{
	struct op_cpu_rings *rings = per_cpu_ptr(&op_rings, cpu);
	int kind, error = 0;

	memset(rings, 0, sizeof(*rings));
	for (kind = 0; kind < OP_RINGS && !error; kind++)
		error = op_ring_alloc(&rings->ring[kind], size, cpu_to_node(cpu));
	return error;
}

static size_t ring_size(void)
{
	size_t words = op_settings.buffer_size / (num_possible_cpus() * OP_RINGS);

	return roundup_pow_of_two(max_t(size_t, words * sizeof(u64), OP_MIN_RING));
}

u64 op_rings_size(void)
{
	return (u64)ring_size() * OP_RINGS * num_possible_cpus();
}

int op_alloc_rings(void)
{
	size_t size = ring_size();
	unsigned int cpu;

	/* The watershed is room left: of the whole buffer's, each ring has its share. */
	wake_level = size - div64_u64((u64)size * op_settings.buffer_watershed, op_settings.buffer_size);
	init_irq_work(&wake_work, wake_from_irq);
	read_room = vmalloc(OP_READ_SIZE);
	if (!read_room)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		if (alloc_cpu_rings(cpu, size)) {
			op_free_rings();
			return -ENOMEM;
		}
	}
	return 0;
}

/* Contexts nobody read may hold files. */
static void drop_records(struct op_ring *ring)
{
	struct op_record_context context;
	struct op_record_header head;

	while (ring->data && op_ring_peek(ring, &head, sizeof(head))) {
		if (head.type == OP_RECORD_IRQ_CONTEXT)
			finish_irq_context(ring, &context);
		else
			op_ring_consume(ring, head.size);
	}
}

void op_free_rings(void)
{
	unsigned int cpu;
	int kind;

	irq_work_sync(&wake_work);
	for_each_possible_cpu(cpu) {
		for (kind = 0; kind < OP_RINGS; kind++) {
			struct op_ring *ring = &per_cpu_ptr(&op_rings, cpu)->ring[kind];

			drop_records(ring);
			op_ring_free(ring);
		}
	}
	vfree(read_room);
	read_room = NULL;
}
