#include "apply/apply.h"

#include "base/arena.h"
#include "base/die.h"
#include "model/launch.h"
#include "model/record.h"

bool
apply_ready(const struct ranking *r)
{
	for (size_t i = 0; i < r->n_sizes; i++)
		if (r->sizes[i].n_ranked)
			return true;
	return false;
}

const char *
apply_path(struct arena *a, struct str kernel, struct str given, const char *suffix)
{
	static const char mark[] = "{kernel}";
	struct buf b = {.a = a};

	if (!given.n)
		return str_c(a, str_fmt(a, "%.*s%s", STR_ARG(kernel), suffix));
	for (size_t i = 0; i < given.n;) {
		if (str_starts(str_sub(given, i, given.n), mark)) {
			buf_addstr(&b, kernel);
			i += sizeof mark - 1;
		} else if (given.s[i] == '{') {
			die("'%.*s': only {kernel} may stand in braces", STR_ARG(given));
		} else {
			buf_addc(&b, given.s[i++]);
		}
	}
	return buf_c(&b);
}

static void
put_dim(struct json_out *o, const char *key, struct dim d)
{
	json_open_array(o, key, true);
	json_put_i64(o, NULL, (int64_t)d.x);
	json_put_i64(o, NULL, (int64_t)d.y);
	json_put_i64(o, NULL, (int64_t)d.z);
	json_close_array(o);
}

static void
put_launch(struct json_out *o, struct str text)
{
	struct launch l;

	json_put_str(o, "launch", text);
	if (!launch_parse(text, &l))
		return;
	put_dim(o, "block", l.block);
	put_dim(o, "grid", l.grid);
	put_dim(o, "cluster", l.cluster);
	json_put_i64(o, "shared_bytes", (int64_t)l.shared_bytes);
	json_put_bool(o, "cooperative", l.cooperative);
}

static void
put_choice(struct json_out *o, const struct rank_size *s)
{
	const struct rank_entry *c = rank_champion(s);

	json_open_object(o, NULL);
	json_put_str(o, "size", s->name);
	record_copy(o, "values", s->values);
	json_put_str(o, "candidate", c->candidate);
	json_put_str(o, "label", c->label);
	json_put_str(o, "id", c->id);
	record_copy(o, "assignment", c->assignment);
	put_launch(o, c->launch);
	json_put_c(o, "verdict", verdict_name(c->verdict));
	/* Whether it was recalled from a cache says nothing of the choice. */
	json_put_c(o, "kind",
		result_is_measured(c->kind) ? "measured" : result_kind_name(c->kind));
	json_put_f64(o, "median_ns", c->median_ns);
	json_put_f64(o, "low_ns", c->low_ns);
	json_put_f64(o, "high_ns", c->high_ns);
	json_put_bool(o, "verified", c->verified);
	json_put_str(o, "verified_by", c->verified_by);
	json_put_f64(o, "speedup", s->speedup);
	json_put_f64(o, "speedup_low", s->speedup_low);
	json_put_f64(o, "speedup_high", s->speedup_high);
	json_put_bool(o, "faster", s->faster);
	json_put_c(o, "claim", rank_claim_name(s->claim));
	json_put_str(o, "claim_why", s->claim_why);
	json_close_object(o);
}

struct str
apply_json(struct arena *a, const struct ranking *r)
{
	struct json_out o = {.b = {.a = a}};

	json_open_object(&o, NULL);
	json_put_str(&o, "schema", STR_LIT("lanewise/applied.v1"));
	json_put_str(&o, "kernel", r->kernel);
	record_copy(&o, "pins", r->pins);
	json_open_array(&o, "choices", false);
	for (size_t i = 0; i < r->n_sizes; i++)
		if (r->sizes[i].n_ranked)
			put_choice(&o, &r->sizes[i]);
	json_close_array(&o);
	json_close_object(&o);
	return json_done(&o);
}
