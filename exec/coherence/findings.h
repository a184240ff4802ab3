/* findings.h - findings about the coherence of host and device: the sentence, the rule and the help of each. They are
 * the same for strict runs (snapshots.c, races.c) and for programs compiled for checking (reports.c).
 *
 * The argument `finding` of each function has the level, the return address, the names of the data and the related
 * locations; `element` NULL: the data have no name. A help and a rule that it has are kept. actor: who makes the
 * access, as words: "the host", "the compute region". */
#ifndef RT_FINDINGS_H
#define RT_FINDINGS_H

#include "diag/diagnostics.h"
#include "happens_before.h"

/* Reports that an access reads the old value of an element, on the device or the host. verb: "reads", or "gets" if the
 * kernel may not have read it. */
void rt_emit_stale_data(struct rt_diagnostic finding, const char *actor, const char *verb, bool on_device);
/* Reports that the host reads the old value of an element whose data were unmapped before the device's change was
 * copied back. */
void rt_emit_stale_after_unmap(struct rt_diagnostic finding, const char *actor);
/* Reports that the call under way overwrites an element that its target, the device or the host, has changed. */
void rt_emit_overwritten_change(struct rt_diagnostic finding, bool on_device);
/* Reports that the call under way, or the end of the program, unmaps an element that the device has changed. */
void rt_emit_lost_change(struct rt_diagnostic finding);
/* Reports that an access reads an element to which nothing was written on the device; on_device false: the host reads
 * the copy of such memory. */
void rt_emit_uninitialized_read(struct rt_diagnostic finding, const char *actor, bool on_device);
/* Reports that the call under way copies an element to the host to which nothing was written on the device. */
void rt_emit_uninitialized_copy(struct rt_diagnostic finding);
/* Reports that an access and earlier work are not ordered by a wait. verb: "reads", "writes", ...; side: " on the
 * device", " on the host" or ""; earlier_verb: what the work does. */
void rt_emit_missing_wait(struct rt_diagnostic finding, const char *actor, const char *verb, const char *side,
                          const struct rt_access_origin *earlier, const char *earlier_verb);

#endif
