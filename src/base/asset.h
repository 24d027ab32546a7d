/*
 * Files of the source tree that the program carries inside itself (rules,
 * templates, device descriptions), so that one binary is the whole product.
 * The table is generated at build time, sorted by path.
 */
#ifndef BASE_ASSET_H
#define BASE_ASSET_H

#include "base/str.h"

struct asset {
	const char *path; /* relative to the source root: "rules/lower.ninja" */
	const unsigned char *data;
	size_t n; /* bytes */
};

extern const struct asset assets[];
extern const size_t n_assets;

/* The bytes of an asset; false if there is none of that path. */
bool asset_find(const char *path, struct str *out);

#endif
