// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The executable mappings of processes. Of each process that was sampled lately there is a checksum of what the reader got. Where
 * the kernel numbers the changes of mappings, they are looked at only after one; else with every stack.
 */
#include "op_maps.h"

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "op_identity.h"
#include "op_image.h"
#include "op_main.h"
#include "op_place.h"
#include "uapi/op_stream.h"

#define OP_MOST_MAPPED 1024 /* mappings in a record; programs can have any number */
#define OP_INTERRUPT_LIMIT 2048 /* mappings that an interrupt goes through, at a change */
#define OP_EACH_LIMIT 1024 /* the same at each stack, where the kernel does not number changes */
#define OP_NEW_IMAGES 32 /* that one look makes: a program could fill the table of images; others come with the next look */
#define OP_WAITING_RECORDS 4096 /* for the reader; op_stream.h */
#define OP_WAITING_BYTES (4UL << 20) /* in them */

/* What the reader knows of a process. */
struct known {
	const struct mm_struct *mm; /* only compared */
	u64 identity; /* of the memory: another process may get the same mm_struct */
	u64 checksum; /* of the mappings */
	u32 tgid;
	u32 number;
	u32 images; /* op_image_generation() when they were sent */
	unsigned int changes; /* op_mappings_changes() when they were looked at */
};

/* A record that waits for the reader. */
struct waiting {
	struct list_head list;
	struct op_record_maps record;
	struct op_mapped mapped[];
};

static DEFINE_RAW_SPINLOCK(maps_lock); /* everything below; interrupts off */
static struct known *known_maps; /* OP_MAPS_SLOTS; NULL while there are no stacks */
static LIST_HEAD(waiting_maps);
static unsigned int waiting_records;
static size_t waiting_bytes;
static u32 last_number;

static u64 mix(u64 sum, u64 value)
{
	return (sum ^ value) * GOLDEN_RATIO_64 + (sum >> 29);
}

/* Addresses that the kernel chooses at random, and others that depend on the program. */
static u64 identity_of(const struct mm_struct *mm)
{
	u64 sum = mix(mix(mix(mm->start_stack, mm->start_code), mm->end_code), mm->mmap_base);

	return mix(mix(sum, mm->arg_start), (unsigned long)rcu_access_pointer(mm->exe_file));
}

static unsigned int slot_of(const struct mm_struct *mm, u32 tgid)
{
	return hash_64((unsigned long)mm ^ tgid, const_ilog2(OP_MAPS_SLOTS));
}

/* maps_lock is held. */
static bool is_of(const struct known *known, const struct mm_struct *mm, u32 tgid)
{
	return known->mm == mm && known->tgid == tgid && known->identity == identity_of(mm) &&
	       known->images == op_image_generation();
}

u32 op_known_maps_number(const struct mm_struct *mm, u32 tgid)
{
	u32 number = OP_NO_MAPS;
	struct known *known;
	unsigned int changes;
	unsigned long flags;

	if (!op_mappings_changes(mm, &changes))
		return OP_NO_MAPS;
	raw_spin_lock_irqsave(&maps_lock, flags);
	known = &known_maps[slot_of(mm, tgid)];
	if (is_of(known, mm, tgid) && known->changes == changes)
		number = known->number;
	raw_spin_unlock_irqrestore(&maps_lock, flags);
	return number;
}

/* Programs can have any number of mappings: nobody is kept long for them. */
static bool may_look(const struct mm_struct *mm)
{
	unsigned int changes;

	if (!op_mappings_changes(mm, &changes))
		return mm->map_count <= OP_EACH_LIMIT;
	return in_task() || mm->map_count <= OP_INTERRUPT_LIMIT;
}

bool op_maps_need_task(const struct mm_struct *mm, u32 tgid)
{
	unsigned int changes;

	return !may_look(mm) && op_mappings_changes(mm, &changes) && !op_known_maps_number(mm, tgid);
}

static bool is_executable(const struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_EXEC;
}

/* A file that is gone may have had the same addresses in memory. */
static u64 file_sum(struct file *file)
{
	const struct inode *inode = file ? op_inode_of(file) : NULL;

	return inode ? mix(mix((unsigned long)inode, inode->i_ino), inode->i_generation) : 0;
}

/* The checksum of the mappings and their number. The mmap lock is held here and in the next. */
static u64 sum_up(struct mm_struct *mm, unsigned int *count)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct vm_area_struct *vma;
	u64 sum = 0;

	*count = 0;
	for_each_vma(vmi, vma) {
		if (!is_executable(vma))
			continue;
		sum = mix(mix(sum, vma->vm_start), vma->vm_end);
		sum = mix(mix(sum, vma->vm_pgoff), file_sum(vma->vm_file));
		++*count;
	}
	return sum;
}

/* `complete`: all its images are known; else the process is to be looked at again. */
static struct waiting *make_record(struct mm_struct *mm, u32 tgid, unsigned int count, bool *complete)
{
	unsigned int room = min_t(unsigned int, count, OP_MOST_MAPPED);
	struct waiting *waiting = kmalloc(struct_size(waiting, mapped, room), GFP_NOWAIT | __GFP_NOWARN);
	VMA_ITERATOR(vmi, mm, 0);
	struct vm_area_struct *vma;
	unsigned int i = 0, left = OP_NEW_IMAGES;

	if (!waiting)
		return NULL;
	*complete = true;
	for_each_vma(vmi, vma) {
		if (!is_executable(vma) || i == room)
			continue;
		op_describe_mapping(vma, tgid, &waiting->mapped[i], &left);
		*complete = *complete && waiting->mapped[i++].image != OP_NO_COOKIE;
	}
	waiting->record = (struct op_record_maps){
		.header = { .type = OP_RECORD_MAPS, .flags = count > room ? OP_MAPS_CUT : 0,
			    .size = sizeof(waiting->record) + i * sizeof(struct op_mapped) },
		.tgid = tgid,
		.mappings = i,
	};
	return waiting;
}

/* Gives the record a number and queues it. False if too many wait. maps_lock is held. */
static bool queue(struct waiting *waiting, unsigned int slot)
{
	if (waiting_records == OP_WAITING_RECORDS || waiting_bytes + waiting->record.header.size > OP_WAITING_BYTES)
		return false;
	if (++last_number == OP_NO_MAPS)
		last_number = 1;
	waiting->record.number = last_number;
	waiting->record.slot = slot;
	WRITE_ONCE(waiting_records, waiting_records + 1);
	waiting_bytes += waiting->record.header.size;
	list_add_tail(&waiting->list, &waiting_maps);
	return true;
}

/* The number if the mappings are those that the reader has; notes then that they were looked at. */
static u32 find_unchanged(const struct known *now)
{
	u32 number = OP_NO_MAPS;
	struct known *known;
	unsigned long flags;

	raw_spin_lock_irqsave(&maps_lock, flags);
	known = &known_maps[slot_of(now->mm, now->tgid)];
	if (is_of(known, now->mm, now->tgid) && known->checksum == now->checksum) {
		known->changes = now->changes;
		number = known->number;
	}
	raw_spin_unlock_irqrestore(&maps_lock, flags);
	return number;
}

static u32 add_maps(struct mm_struct *mm, struct known *now, unsigned int count)
{
	bool complete, queued;
	struct waiting *waiting = make_record(mm, now->tgid, count, &complete);
	unsigned int slot = slot_of(mm, now->tgid);
	unsigned long flags;

	if (!waiting)
		return OP_NO_MAPS;
	raw_spin_lock_irqsave(&maps_lock, flags);
	queued = queue(waiting, slot);
	if (queued) {
		now->number = last_number;
		known_maps[slot] = complete ? *now : (struct known){};
	}
	raw_spin_unlock_irqrestore(&maps_lock, flags);
	if (!queued)
		kfree(waiting);
	return now->number;
}

u32 op_maps_number(struct mm_struct *mm, u32 tgid)
{
	u32 number = op_known_maps_number(mm, tgid);
	struct known now = { .mm = mm, .identity = identity_of(mm), .tgid = tgid, .images = op_image_generation() };
	unsigned int count;

	if (number || !may_look(mm))
		return number;
	op_mappings_changes(mm, &now.changes);
	now.checksum = sum_up(mm, &count);
	return find_unchanged(&now) ?: add_maps(mm, &now, count);
}

bool op_maps_wait(void)
{
	return READ_ONCE(waiting_records) != 0;
}

static struct waiting *first_waiting(void)
{
	struct waiting *waiting;

	raw_spin_lock_irq(&maps_lock);
	waiting = list_first_entry_or_null(&waiting_maps, struct waiting, list);
	raw_spin_unlock_irq(&maps_lock);
	return waiting;
}

size_t op_next_maps_size(void)
{
	const struct waiting *waiting = first_waiting();

	return waiting ? waiting->record.header.size : 0;
}

void op_take_maps(struct op_record_maps *record)
{
	struct waiting *waiting = first_waiting();
	size_t size = waiting->record.header.size;

	memcpy(record, &waiting->record, sizeof(*record));
	memcpy(record + 1, waiting->mapped, size - sizeof(*record));
	raw_spin_lock_irq(&maps_lock);
	list_del(&waiting->list);
	WRITE_ONCE(waiting_records, waiting_records - 1);
	waiting_bytes -= size;
	raw_spin_unlock_irq(&maps_lock);
	kfree(waiting);
}

int op_alloc_maps(void)
{
	if (!op_settings.stack_size)
		return 0;
	known_maps = vcalloc(OP_MAPS_SLOTS, sizeof(*known_maps));
	return known_maps ? 0 : -ENOMEM;
}

void op_free_maps(void)
{
	struct waiting *waiting, *next;

	list_for_each_entry_safe(waiting, next, &waiting_maps, list)
		kfree(waiting);
	INIT_LIST_HEAD(&waiting_maps);
	waiting_records = 0;
	waiting_bytes = 0;
	last_number = 0;
	vfree(known_maps);
	known_maps = NULL;
}
