/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The prefix of the driver's log lines; included before everything else.
 */
#ifndef OP_LOG_H
#define OP_LOG_H

#define pr_fmt(fmt) "oprofile: " fmt

#endif
