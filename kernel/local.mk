# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += kernel/uapi/op_stream.h
