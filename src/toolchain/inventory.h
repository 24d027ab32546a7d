/* What this machine has of the things that lanewise uses: for `lanewise doctor`. */
#ifndef TOOLCHAIN_INVENTORY_H
#define TOOLCHAIN_INVENTORY_H

#include "base/str.h"

enum inventory_kind {
	INVENTORY_TOOLCHAIN,
	INVENTORY_TOOL,
	INVENTORY_HOST,
	INVENTORY_GPU,
	INVENTORY_OPENCL,
	INVENTORY_CACHE /* added by `lanewise doctor` */
};

struct inventory_item {
	enum inventory_kind kind;
	struct str name;    /* "nvrtc", "ninja", "driver", "host", "gpu 0" */
	bool present;       /* found, and new enough */
	bool required;      /* nothing works without it */
	struct str version; /* "nvrtc 13.0"; may be set when it is too old */
	struct str path;    /* may be empty */
	struct str note;    /* when not present: why, and what to install */
};

struct inventory {
	struct inventory_item *v;
	size_t n, cap;
};

void inventory_add(struct arena *a, struct inventory *v, struct inventory_item item);

/* Runs the programs' --version and asks the GPU driver, in a child process with a
 * deadline. */
struct inventory inventory_take(struct arena *a);

#endif
