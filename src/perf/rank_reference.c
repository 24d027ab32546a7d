#include "perf/rank_reference.h"

#include "model/record.h"
#include "perf/final_input.h"
#include "perf/stats.h"

#include <math.h>

#define NONE ((double)NAN)

/* Rounds at either end of the final that tell its drift, at most. */
enum { END_ROUNDS = 5 };

double
rank_reference_gbps(const struct rank_reference *r)
{
	return r->bytes / r->median_ns; /* bytes per ns */
}

double
rank_reference_gflops(const struct rank_reference *r)
{
	return r->flops / r->median_ns;
}

/* --- from the final -------------------------------------------------------------- */

static const struct final_member *
find_member(const struct final_record *f)
{
	for (size_t i = 0; f && i < f->n_members; i++)
		if (f->members[i].role == FINAL_REFERENCE)
			return &f->members[i];
	return NULL;
}

static size_t
find_role(const struct final_readings *r, enum final_role role)
{
	size_t i = 0;

	while (i < r->n_members && r->members[i].role != role)
		i++;
	return i;
}

/* "CANDIDATE@SIZE", under any role but the control's. */
static size_t
find_champion(const struct final_readings *r, const struct rank_size *s)
{
	const struct rank_entry *e = rank_champion(s);
	size_t i = 0;

	for (; e && i < r->n_members; i++) {
		struct str point = r->members[i].label, own = e->candidate;
		if (r->members[i].role != FINAL_CONTROL &&
			str_eq(str_sub(point, 0, own.n), own) &&
			str_eq(str_sub(point, own.n + 1, point.n), s->name))
			return i;
	}
	return r->n_members;
}

/* The middle one of its times in `rounds` rounds from `first` on. */
static double
middle(struct arena *a, const struct final_readings *r, size_t member, size_t first,
	size_t rounds)
{
	double *v = arena_news(a, 2 * rounds + 1, double);

	for (size_t i = 0; i < 2 * rounds; i++)
		v[i] = r->ns[final_index(r, first + i / 2, i % 2, member)];
	return stats_median(a, v, 2 * rounds);
}

static void
time_it(struct arena *a, const struct final_readings *r, size_t at, double margin,
	struct rank_reference *out)
{
	size_t n = r->n_rounds, end = n / 2 < END_ROUNDS ? n / 2 : END_ROUNDS;

	out->median_ns = middle(a, r, at, 0, n);
	if (!end)
		return;
	out->drift = middle(a, r, at, n - end, end) / middle(a, r, at, 0, end) - 1;
	out->drifted = fabs(out->drift) > margin;
}

static void
compare(const struct final_decision *d, const struct rank_size *s, size_t champion,
	size_t at, struct rank_reference *out)
{
	if (s->claim == CLAIM_NONE || (d->control_exists && !d->control_ok)) {
		out->reason = STR_LIT("the control failed");
	} else if (champion == d->n_members) {
		out->reason = STR_LIT("the champion was not in the final");
	} else {
		const struct final_pair *p = final_pair(d, champion, at);
		out->ratio = p->ratio;
		out->ratio_low = p->low;
		out->ratio_high = p->high;
	}
}

void
rank_reference(
	struct arena *a, struct rank_size *s, const struct final_record *f, double margin)
{
	const struct final_member *m = find_member(f);
	const struct rank_entry *champion = rank_champion(s);
	struct rank_reference *out = &s->reference;
	struct final_readings r;

	*out = (struct rank_reference){.median_ns = NONE,
		.flops = champion ? champion->flops : NONE,
		.bytes = champion ? champion->bytes : NONE,
		.ratio = NONE,
		.ratio_low = NONE,
		.ratio_high = NONE,
		.drift = NONE};
	if (!m)
		return;
	out->exists = true;
	out->name = m->point;
	out->status = m->status;
	out->reason = m->reason;
	if (m->status != RESULT_OK)
		return;
	if (f->status != RESULT_OK || !f->n_rounds || final_input(a, f, margin, &r)) {
		out->reason = STR_LIT("there is no final");
		return;
	}
	const struct final_decision *d = final_decide(a, &r);
	size_t at = find_role(&r, FINAL_REFERENCE);
	time_it(a, &r, at, d->margin - 1, out);
	compare(d, s, find_champion(&r, s), at, out);
}

/* --- as text --------------------------------------------------------------------- */

void
rank_reference_put(struct json_out *o, const struct rank_reference *r)
{
	if (!r->exists) {
		json_put_null(o, "reference");
		return;
	}
	json_open_object(o, "reference");
	json_put_str(o, "name", r->name);
	json_put_c(o, "status", result_status_name(r->status));
	json_put_str(o, "reason", r->reason);
	json_put_f64(o, "median_ns", r->median_ns);
	json_put_f64(o, "bytes", r->bytes);
	json_put_f64(o, "flops", r->flops);
	json_put_f64(o, "gbps", rank_reference_gbps(r));
	json_put_f64(o, "gflops", rank_reference_gflops(r));
	json_put_f64(o, "ratio", r->ratio);
	json_put_f64(o, "ratio_low", r->ratio_low);
	json_put_f64(o, "ratio_high", r->ratio_high);
	json_put_f64(o, "drift", r->drift);
	json_put_bool(o, "drifted", r->drifted);
	json_close_object(o);
}

void
rank_reference_get(struct record *size, struct rank_reference *out)
{
	struct record r;

	out->exists = record_has(size, "reference");
	if (!out->exists)
		return;
	r = record_object(size, "reference");
	out->name = record_str(&r, "name");
	if (r.ok && !result_status_find(record_str(&r, "status"), &out->status))
		record_fail(&r, "status", "unknown status of a result");
	out->reason = record_str(&r, "reason");
	out->median_ns = record_f64(&r, "median_ns");
	out->bytes = record_f64(&r, "bytes");
	out->flops = record_f64(&r, "flops");
	out->ratio = record_f64(&r, "ratio");
	out->ratio_low = record_f64(&r, "ratio_low");
	out->ratio_high = record_f64(&r, "ratio_high");
	out->drift = record_f64(&r, "drift");
	out->drifted = record_bool(&r, "drifted");
	size->ok = size->ok && r.ok;
}
