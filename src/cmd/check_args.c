#include "cmd/check_args.h"

#include "base/arena.h"
#include "cmd/check_value.h"

bool
check_dim(struct arena *a, const char *option, const char *text, struct dim *out,
	struct str *why)
{
	if (!text) {
		*why = str_fmt(a, "%s is needed", option);
		return false;
	}
	if (!dim_parse(str_of(text), out)) {
		*why = str_fmt(a, "%s: '%s' is not X[,Y[,Z]], whole numbers from 1",
			option, text);
		return false;
	}
	return true;
}

/* ---- arguments ---- */

/* The parameters of an entry are named ENTRY_param_N. */
static bool
find_param(const struct check_kernel *k, struct str name, size_t *at)
{
	uint64_t n;

	if (str_to_u64(name, &n) && n < k->f->n_params) {
		*at = n;
		return true;
	}
	for (uint32_t i = 0; i < k->f->n_params; i++)
		if (str_eq(k->m->vars[k->f->params + i].name, name)) {
			*at = i;
			return true;
		}
	return false;
}

static struct str
no_param(struct arena *a, const struct check_kernel *k, struct str name)
{
	const char *hint = k->f->n_params > 1
				   ? "0=VALUE for the first, 1=VALUE for the next"
			   : k->f->n_params ? "0=VALUE"
					    : "none";

	return str_fmt(a,
		"arg: '%.*s' has no parameter '%.*s': PTX does not keep their names; it "
		"has %u, so write %s",
		STR_ARG(k->f->name), STR_ARG(name), k->f->n_params, hint);
}

/* One argument by position or by the name of the PTX parameter; args has one element for
 * each parameter of the kernel. */
static bool
check_arg(struct arena *a, const struct check_kernel *k, struct str name,
	struct str value, struct gate_arg *args, struct str *why)
{
	struct str reason = {0};
	size_t at;

	if (!find_param(k, name, &at)) {
		*why = no_param(a, k, name);
		return false;
	}
	if (check_value(a, &k->m->vars[k->f->params + at], value, &args[at], &reason))
		return true;
	*why = str_fmt(a, "arg %.*s: %.*s", STR_ARG(name), STR_ARG(reason));
	return false;
}

/* The same for "N=VALUE". */
static bool
check_arg_pair(struct arena *a, const struct check_kernel *k, struct str text,
	struct gate_arg *args, struct str *why)
{
	size_t eq = str_find(text, '=');

	if (eq == text.n) {
		*why = str_fmt(a, "arg %.*s: N=VALUE is needed", STR_ARG(text));
		return false;
	}
	return check_arg(
		a, k, str_sub(text, 0, eq), str_sub(text, eq + 1, text.n), args, why);
}

/* ---- the rest ---- */

static bool
check_limits(
	struct arena *a, struct str cc, const struct device **limits, struct str *why)
{
	struct str major = str_sub(cc, 0, str_find(cc, '.'));
	struct str minor = str_sub(cc, major.n + 1, cc.n);
	struct device *dev = arena_new(a, struct device);
	int64_t x, y = 0;

	if (!str_to_i64(major, &x) || (minor.n && !str_to_i64(minor, &y)) || x < 0 ||
		x > 99 || y < 0 || y > 9 || !device_of_cc(a, (int)x, (int)y, dev)) {
		*why = str_fmt(a,
			"cc: the limits of '%.*s' are not known; 9.0 is an example",
			STR_ARG(cc));
		return false;
	}
	*limits = dev;
	return true;
}

/* NULL: strict, else that or `other`. */
static bool
check_policy(struct arena *a, const char *option, const char *text, const char *other,
	bool *is_other, struct str *why)
{
	struct str t = str_of(text ? text : "strict");

	*is_other = str_is(t, other);
	if (*is_other || str_is(t, "strict"))
		return true;
	*why = str_fmt(
		a, "%s: '%.*s' is neither strict nor %s", option, STR_ARG(t), other);
	return false;
}

static bool
check_shared(struct arena *a, long bytes, uint64_t *out, struct str *why)
{
	if (bytes < 0) {
		*why = str_fmt(a, "shared: %ld is negative", bytes);
		return false;
	}
	*out = (uint64_t)bytes;
	return true;
}

bool
check_args_any(const struct check_args *c)
{
	return c->entry || c->cluster || c->cc || c->policy || c->sites ||
	       c->shared_bytes || c->cooperative || c->args.n;
}

bool
check_query(struct arena *a, const struct check_args *c, const struct check_kernel *k,
	struct gate_query *q, struct str *why)
{
	struct gate_arg *args = arena_news(a, k->f->n_params + 1, struct gate_arg);

	*q = (struct gate_query){.args = args, .n_args = k->f->n_params};
	q->launch.cooperative = c->cooperative;
	q->launch.cluster = (struct dim){1, 1, 1};
	if (c->cluster && !check_dim(a, "cluster", c->cluster, &q->launch.cluster, why))
		return false;
	if (!check_shared(a, c->shared_bytes, &q->launch.shared_bytes, why) ||
		!check_limits(a, str_of(c->cc ? c->cc : "9.0"), &q->limits, why) ||
		!check_policy(
			a, "exit-policy", c->policy, "release", &q->exit_release, why) ||
		!check_policy(
			a, "site-policy", c->sites, "lenient", &q->site_lenient, why))
		return false;
	for (size_t i = 0; i < c->args.n; i++)
		if (!check_arg_pair(a, k, str_of(c->args.v[i]), args, why))
			return false;
	return true;
}
