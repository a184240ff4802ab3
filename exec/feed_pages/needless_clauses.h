/* needless_clauses.h - notes about clauses that do nothing. The lock must be held. */
#ifndef RT_NEEDLESS_CLAUSES_H
#define RT_NEEDLESS_CLAUSES_H

#include "base/runtime.h"

/* Reports clauses of an exit data directive that have no effect, because their data are not present. */
void rt_check_exit_clauses(const struct rt_thread *self, const accd_item *items, size_t nitems);
/* Records whether the updates of a construct, which has ended, had an effect. */
void rt_record_clause_effects(const struct rt_thread *self, const struct rt_construct *construct);
/* Reports the recorded clauses that never had an effect, and forgets all. */
void rt_report_needless_clauses(void);

#endif
