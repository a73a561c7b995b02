#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints compile_commands.json: compile_commands.sh COMPILE SRCDIR OBJECT..., COMPILE being the compiler with its flags.
set -eu
compile=$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')
srcdir=$2
shift 2
separator='['
for object; do
	source=$srcdir/${object%.o}.cpp
	printf '%s\n{"directory": "%s", "file": "%s", "output": "%s", "command": "%s -c -o %s %s"}' "$separator" "$PWD" "$source" \
		"$object" "$compile" "$object" "$source"
	separator=,
done
printf '\n]\n'
