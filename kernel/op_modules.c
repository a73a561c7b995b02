// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of loaded modules, made when a module is loaded and kept until the reader takes them.
 */
#include "op_modules.h"

#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/ktime.h>

#include "compat.h"
#include "uapi/op_stream.h"

struct loaded_module {
	struct list_head list;
	struct op_record_mapping record;
	char name[ALIGN(MODULE_NAME_LEN, 8)]; /* part of the record */
};

static DEFINE_SPINLOCK(modules_lock);
static LIST_HEAD(loaded_modules); /* modules_lock */

static void describe(struct loaded_module *m, const struct module *mod)
{
	size_t text_size, length = strnlen(mod->name, MODULE_NAME_LEN);
	void *text = op_module_text(mod, &text_size);

	m->record.header.type = OP_RECORD_MAPPING;
	m->record.header.flags = OP_MAPPING_KERNEL;
	m->record.header.size = ALIGN(sizeof(m->record) + length, 8);
	m->record.time = ktime_get_ns();
	m->record.start = (unsigned long)text;
	m->record.length = text_size;
	m->record.path_size = length;
	memcpy(m->name, mod->name, length);
}

static int module_changed(struct notifier_block *block, unsigned long what, void *data)
{
	struct loaded_module *m;

	if (what != MODULE_STATE_COMING)
		return NOTIFY_DONE;
	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return NOTIFY_DONE; /* the reader finds it in /proc/modules */
	describe(m, data);
	spin_lock(&modules_lock);
	list_add_tail(&m->list, &loaded_modules);
	spin_unlock(&modules_lock);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = module_changed };

int op_watch_modules(void)
{
	return register_module_notifier(&notifier);
}

static struct loaded_module *first_module(void)
{
	return list_first_entry_or_null(&loaded_modules, struct loaded_module, list);
}

int op_take_module(struct op_record_mapping *record, size_t size)
{
	struct loaded_module *m;
	int taken = 0;

	spin_lock(&modules_lock);
	m = first_module();
	if (m) {
		taken = m->record.header.size <= size ? m->record.header.size : -E2BIG;
		if (taken > 0)
			list_del(&m->list);
	}
	spin_unlock(&modules_lock);
	if (taken > 0) {
		memcpy(record, (char *)m + offsetof(struct loaded_module, record), taken);
		kfree(m);
	}
	return taken;
}

void op_unwatch_modules(void)
{
	struct loaded_module *m, *next;

	unregister_module_notifier(&notifier);
	list_for_each_entry_safe(m, next, &loaded_modules, list)
		kfree(m);
	INIT_LIST_HEAD(&loaded_modules);
}
