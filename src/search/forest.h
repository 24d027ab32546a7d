/*
 * A random forest for regression (Breiman, Machine Learning 2001) over features that are
 * small numbers.  Every tree is grown on a bootstrap sample; a node splits where the sum
 * of squared errors falls most, among a random part of the features.  The variance of a
 * prediction is that between the trees' means and the mean of that within their leaves
 * (Hutter, Xu, Hoos, Leyton-Brown, Artificial Intelligence 2014, section 4.3.2).
 * Deterministic: equal data and seed, equal forest.
 */
#ifndef SEARCH_FOREST_H
#define SEARCH_FOREST_H

#include "base/rng.h"

#include <stddef.h>
#include <stdint.h>

struct arena;

enum { FOREST_TREES = 24, FOREST_LEAF_MAX = 3, FOREST_DEPTH_MAX = 40 };

struct tree_node {
	uint32_t left, right;    /* 0: a leaf */
	uint16_t feature, split; /* left if x[feature] <= split */
	double mean, variance;
};

struct forest {
	size_t n_features;
	struct tree_node *nodes;
	size_t n, cap;
	uint32_t roots[FOREST_TREES];
};

/* x has n rows of n_features numbers below SPEC_VALUES_MAX; n and n_features are at
 * least 1. */
struct forest forest_fit(struct arena *a, struct rng *r, const uint16_t *x,
	const double *y, size_t n, size_t n_features);
void forest_predict(
	const struct forest *f, const uint16_t *x, double *mean, double *variance);

#endif
