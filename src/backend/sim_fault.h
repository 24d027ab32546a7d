/* When the faults of a script happen, and what then happens. */
#ifndef BACKEND_SIM_FAULT_H
#define BACKEND_SIM_FAULT_H

#include "backend/sim_session.h"

/* Which faults hold for a point, into l->has; each that holds is counted towards `first`.
 * False with why when a condition has no value. */
bool sim_faults_of(struct session *s, struct arena *a, struct sim_scope *scope,
	struct loaded *l, struct str *why);
bool sim_fault_now(struct session *s, const struct loaded *l, enum sim_fault f);
/* Faults of a launch: false with *f filled, or they do not return. */
bool sim_fault_strikes(
	struct session *s, struct loaded *l, int64_t deadline_ns, struct fault *f);
/* A launch that was done only after its deadline is a hang. */
bool sim_fault_overdue(
	struct session *s, const struct loaded *l, int64_t deadline_ns, struct fault *f);

#endif
