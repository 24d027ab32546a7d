/* Candidates at random, each of those left as likely as any other. */
#include "search/search.h"

const struct strategy strategy_random = {
	.name = "random",
	.about = "candidates at random, none twice",
	.ask = search_draw,
};
