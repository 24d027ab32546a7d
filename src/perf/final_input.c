#include "perf/final_input.h"

/* Whom the control is a second time, among the n entries so far kept; n: nobody. */
static size_t
twin(const struct final_entry *v, size_t n, struct str point)
{
	size_t i = 0;

	while (i < n &&
		!(str_eq(v[i].label, point) &&
			(v[i].role == FINAL_CANDIDATE || v[i].role == FINAL_BASELINE)))
		i++;
	return i;
}

/* The controls last, when all whom they may be are there. */
static size_t
entries(const struct final_record *f, struct final_entry *v)
{
	size_t n = 0, of;

	for (int controls = 0; controls < 2; controls++)
		for (size_t i = 0; i < f->n_members; i++) {
			const struct final_member *m = &f->members[i];
			if (m->status != RESULT_OK ||
				(m->role == FINAL_CONTROL) != controls)
				continue;
			of = controls ? twin(v, n, m->point) : 0;
			if (!controls || of < n)
				v[n++] = (struct final_entry){m->point, m->role, of, i};
		}
	return n;
}

static bool
good_round(const struct final_record *f, size_t round)
{
	for (size_t i = 0; i < f->n_members; i++) {
		const struct reading *v = f->members[i].visits;
		if (f->members[i].status == RESULT_OK &&
			(v[2 * round].cause || v[2 * round + 1].cause))
			return false;
	}
	return true;
}

const char *
final_input(struct arena *a, const struct final_record *f, double margin,
	struct final_readings *out)
{
	struct final_entry *v = arena_news(a, f->n_members, struct final_entry);
	size_t n = entries(f, v), rounds = 0;
	double *ns = arena_news(a, 2 * f->n_rounds * n, double);

	*out = (struct final_readings){
		.members = v, .n_members = n, .ns = ns, .margin = margin};
	for (size_t k = 0; k < f->n_rounds; k++) {
		if (!good_round(f, k))
			continue;
		for (size_t visit = 0; visit < 2; visit++)
			for (size_t i = 0; i < n; i++)
				ns[final_index(out, rounds, visit, i)] =
					f->members[v[i].record].visits[2 * k + visit].ns;
		rounds++;
	}
	out->n_rounds = rounds;
	return final_problem(out);
}
