/* The parts of the header that tuned.c puts together. */
#ifndef APPLY_TUNED_PARTS_H
#define APPLY_TUNED_PARTS_H

#include "apply/wisdom.h"
#include "base/map.h"

/* The entries of one kernel, and what is the same for all parts. */
struct tuned {
	struct arena *a;
	const struct wisdom_entry *v; /* by device, then by size */
	size_t n;
	struct str name, upper; /* the kernel's, as identifiers */
	struct map params;      /* names of parameters, of all entries */
	struct map values;      /* names of sizes, likewise */
	struct tuned_device *devices;
	size_t n_devices;
};

struct tuned_device {
	struct str name;
	int cc;
	struct str macro; /* "REDUCE_ON_NVIDIA_H200" */
	size_t from, to;  /* its entries */
	bool measured;    /* all of them */
};

/* Which device the macros are of: REDUCE_TARGET, and how it was found. */
struct str tuned_target(const struct tuned *t);
/* A block of macros for each device, and one for none in particular. */
struct str tuned_macros(const struct tuned *t);
/* Of struct reduce_size and struct reduce_choice; the table's lines. */
struct str tuned_size_fields(const struct tuned *t);
struct str tuned_param_fields(const struct tuned *t);
struct str tuned_entries(const struct tuned *t);
/* Expressions over two sizes x and y. */
struct str tuned_same_size(const struct tuned *t);
struct str tuned_apart(const struct tuned *t);

#endif
