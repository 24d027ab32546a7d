#include "backend/parallel.h"

#include "base/cpu.h"

#include <pthread.h>
#include <stdbool.h>

struct piece {
	pthread_t thread;
	parallel_body *body;
	void *ctx;
	uint64_t from, to;
	unsigned part;
	bool started;
};

static void *
piece_run(void *p)
{
	struct piece *piece = p;
	piece->body(piece->ctx, piece->part, piece->from, piece->to);
	return NULL;
}

static unsigned
piece_count(uint64_t n, uint64_t grain)
{
	uint64_t pieces = n / (grain ? grain : 1), most = cpu_online();
	if (most > PARALLEL_MAX)
		most = PARALLEL_MAX;
	if (pieces > most)
		pieces = most;
	return pieces < 1 ? 1 : (unsigned)pieces;
}

void
parallel_for(uint64_t n, uint64_t grain, parallel_body *body, void *ctx)
{
	struct piece p[PARALLEL_MAX];
	unsigned pieces = piece_count(n, grain);
	uint64_t each = n / pieces;
	for (unsigned i = 0; i < pieces; i++) {
		p[i] = (struct piece){.body = body,
			.ctx = ctx,
			.part = i,
			.from = i * each,
			.to = i + 1 == pieces ? n : (i + 1) * each};
		/* The last piece is ours. */
		p[i].started = i + 1 < pieces &&
			       pthread_create(&p[i].thread, NULL, piece_run, &p[i]) == 0;
	}
	for (unsigned i = 0; i < pieces; i++) {
		if (!p[i].started)
			piece_run(&p[i]);
	}
	for (unsigned i = 0; i < pieces; i++) {
		if (p[i].started)
			pthread_join(p[i].thread, NULL);
	}
}
