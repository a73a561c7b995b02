/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processors on which the register-level x86 models are proved: there they are used unless a parameter names another model. A
 * row is added for a processor whose report of `make check-hardware` has no failure (doc/adr/0019-models-on-proved-processors.md).
 * Pure data and a pure function, tested on the host (tests/unit/x86_proved_test.cpp).
 */
#ifndef OP_X86_PROVED_H
#define OP_X86_PROVED_H

struct op_x86_processors {
	unsigned int vendor; /* X86_VENDOR_... */
	unsigned int family; /* 0 ends a list */
	unsigned int first_model;
	unsigned int last_model;
};

static const struct op_x86_processors op_x86_proved_list[] = {
#ifdef OP_MSR_DOUBLE
	{ 0, 6, 0xfe, 0xfe }, /* the processor "proved" of op_msr_double.c */
#endif
	{ 0, 0, 0, 0 },
};

/* True if the list, which ends with family 0, has the processor. */
static inline int op_x86_is_listed(const struct op_x86_processors *list, unsigned int vendor, unsigned int family,
				   unsigned int model)
{
	for (; list->family; list++) {
		if (list->vendor == vendor && list->family == family && list->first_model <= model &&
		    model <= list->last_model)
			return 1;
	}
	return 0;
}

#endif
