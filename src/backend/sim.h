/* The scripted device as a backend, and what tests ask of its sessions. */
#ifndef BACKEND_SIM_H
#define BACKEND_SIM_H

#include "backend/session.h"

/* probe(which): the path of a lanewise/sim.v1. */
extern const struct backend backend_sim;

struct sim_calls;
/* What was called so far (backend/sim_session.h). */
const struct sim_calls *sim_calls(const struct session *s);

#endif
