/*
 * A job: what a bench client asks of a worker.  Plain data with a text form of one line
 * (JSON, schema lanewise/job.v1), so that it can be sent over a socket, kept in a file
 * and run by hand (`lanewise executor --job FILE`).  All that matters is in it: nobody
 * below the client opens the spec or the graph.
 */
#ifndef MEASURE_JOB_H
#define MEASURE_JOB_H

#include "backend/backend.h"
#include "model/final_record.h"

enum job_kind {
	JOB_SCREEN,  /* verify one candidate and time it until it is known or beaten */
	JOB_OUTPUTS, /* run one candidate and write its outputs as a reference */
	JOB_FINAL,   /* time several against each other */
	JOB_ONCE,    /* run one candidate a few times, untimed (under a checker) */
};

struct job_member {
	struct str point; /* "BLOCK=64,TILE=128@1M" */
	enum final_role role;
	struct str artifact_hash; /* base/hash.h, of its bytes; empty: of request's */
	struct bench_request request;
};

struct job {
	enum job_kind kind;
	/* The problem, whose candidates are compared: a kernel and a size of the project
	 * in this folder.  Two projects may have kernels of one name. */
	struct str project, kernel, size;
	struct job_member *member; /* one, but for JOB_FINAL */
	size_t n;
	enum cache_mode cache;
	double margin; /* final: differences up to this are ties */
	bool energy;   /* final: joules a launch of each member, too */
	bool alone;    /* a process of its own: nothing else was run in it before */
};

enum { JOB_MEMBERS_MAX = 256 };

/* One line without a line end. Paths are absolute. */
struct str job_write(struct arena *a, const struct job *j);
/* NULL after a diag_error.  The artifacts' bytes are not in the text: job_load(). */
struct job *job_read(struct arena *a, const struct json *v, struct diag *d);
/* Reads the artifacts; false with a reason when one is gone or is no longer the file that
 * the job was written for. */
bool job_load(struct arena *a, struct job *j, struct str *why);

#endif
