/*
 * Backends run candidates.  One file each, one line in backends[].
 */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include "base/diag.h"
#include "model/arg.h"
#include "model/constant.h"
#include "model/device.h"
#include "model/launch.h"
#include "model/result.h"

struct session_ops; /* backend/session.h */

struct bench_request {
	/* "BLOCK=64,TILE=128@1M", for what is scripted by it; who has a job fills it from
	 * there. */
	struct str point;
	struct str artifact; /* bytes of the cubin (or PTX) */
	const char *artifact_path;
	struct str entry;
	struct launch launch;
	const struct arg *args;
	size_t n_args;
	const struct constant *constants; /* symbols of the module to set */
	size_t n_constants;
	/* Not empty: a library's function instead of a kernel, with the same arguments
	 * (model/library.h says how it is written); artifact, entry, launch and
	 * constants are then not looked at. */
	struct str library;
	uint64_t seed;
	/* Expected outputs, as `lanewise node reference` wrote them; empty: unverified.
	 */
	const char *reference_path;
	struct str reference_by; /* "oracle" or "baseline" */
	double abs, rel;
	int64_t ulp;
	bool nondeterministic;
	int64_t timeout_ns;
	bool outputs_only; /* run once and write the outputs to outputs_path (baseline
			      reference) */
	const char *outputs_path;
};

struct backend {
	const char *name; /* "cuda" */
	const char *about;
	/* The device with this index (or uuid), or NULL with a reason. */
	struct device *(*probe)(struct arena *a, struct str which, struct str *why);
	const struct session_ops *ops; /* for measure/ */
	enum result_kind kind;         /* of what its sessions give */
};

extern const struct backend backend_cuda;      /* cuda.c */
extern const struct backend backend_host;      /* host.c */
extern const struct backend backend_opencl;    /* opencl.c */
extern const struct backend *const backends[]; /* NULL-terminated */
const struct backend *backend_find(struct str name);
/* The one that runs on this device. */
const struct backend *backend_of(const struct device *dev);

#endif
