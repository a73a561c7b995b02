# SPDX-License-Identifier: GPL-2.0-or-later
dist_man1_MANS += doc/ocount.1 doc/opfleet.1 doc/opannotate.1 doc/oparchive.1 doc/opcontrol.1 doc/operf.1 doc/opgprof.1 doc/ophelp.1 doc/opimport.1 doc/opjitconv.1 doc/oppush.1 doc/opreport.1 doc/oprof_start.1 doc/optop.1
dist_man3_MANS += doc/libopagent.3
dist_man8_MANS += doc/oprofiled.8
dist_pkgdata_DATA = doc/opreport.xsd
dist_doc_DATA = README.md
# In the same layout as here, so that the links of README.md and between the documents lead somewhere.
nobase_dist_doc_DATA = doc/ARCHITECTURE.md doc/DRIVER.md doc/FORMATS.md doc/FLEET.md doc/GLOSSARY.md doc/HACKING.md doc/SECURITY.md doc/DRIVER-USE.md doc/INTERPRETING.md doc/bench.md
nobase_dist_doc_DATA += doc/annotated.png doc/page.png
nobase_dist_doc_DATA += doc/adr/0001-two-halves-one-directory.md doc/adr/0002-records-in-batches.md \
	doc/adr/0003-time-order-across-cpus.md doc/adr/0004-kernel-addresses-are-never-lost.md \
	doc/adr/0005-timer-fallback.md doc/adr/0006-sampled-processes-place-their-samples.md doc/adr/0007-guard-against-too-many-samples.md \
	doc/adr/0008-help-is-success.md \
	doc/adr/0009-two-tables-of-formats.md \
	doc/adr/0010-debuginfod-is-loaded-when-asked.md \
	doc/adr/0011-cpu-models-are-compiled-in-too.md \
	doc/adr/0012-where-errors-are-caught.md \
	doc/adr/0013-where-addresses-are-converted.md \
	doc/adr/0022-names-of-run-time-code.md \
	doc/adr/0023-a-cache-of-kernel-symbols.md doc/adr/0024-a-fleet-on-clickhouse.md \
	doc/adr/0014-opcontrol-knows-two-sources-by-name.md \
	doc/adr/0015-the-sandbox.md \
	doc/adr/0016-identity-of-images.md \
	doc/adr/0017-the-budget-of-handlers.md \
	doc/adr/0018-images-are-inodes.md \
	doc/adr/0019-models-on-proved-processors.md \
	doc/adr/0020-one-tree-of-stacks.md \
	doc/adr/0021-stacks-by-unwind-tables.md
