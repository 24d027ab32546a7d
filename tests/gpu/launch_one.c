/*
 * One launch of one kernel on the GPU of this machine, and how it ended:
 *
 *     launch_one FILE.ptx LAUNCH SECONDS [N=ARGUMENT]...
 *
 * FILE has one kernel; LAUNCH as model/launch.h writes it; argument N, from 0, is bytes
 * in hex or as model/arg.h writes it ("i32:7", "i32*[64]:iota"). What is not given: 8
 * bytes are a pointer to 16 MiB of zeros, a float is 1, any other number 100. Prints one
 * line, a status of model/result.h and why; "hung" after SECONDS of device work. The
 * kernel runs once, alone, from the PTX; nothing is compared.
 */
#include "backend/backend.h"
#include "backend/session.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"
#include "ptx/ptx.h"

#include <unistd.h>

enum { BUFFER_BYTES = 16 << 20 };

/* The kernel, and its parameters, first to last. */
static const struct ptx_func *
kernel_of(
	struct arena *a, const char *path, struct str text, const struct ptx_var **params)
{
	struct diag d = {0};
	struct source *src = arena_new(a, struct source);
	*src = (struct source){path, text};
	const struct ptx_module *m = ptx_parse(a, src, &d);

	for (uint32_t i = 0; m && i < m->n_funcs; i++)
		if (m->funcs[i].entry && m->funcs[i].defined) {
			*params = m->vars + m->funcs[i].params;
			return &m->funcs[i];
		}
	die("%s: no kernel", path);
}

static enum dtype
number_of(size_t bytes)
{
	return bytes == 1   ? DTYPE_U8
	       : bytes == 2 ? DTYPE_U16
	       : bytes == 4 ? DTYPE_U32
			    : DTYPE_U64;
}

static struct arg
arg_unknown(const struct ptx_var *v)
{
	struct arg x = {.name = v->name, .type = number_of(v->bytes)};

	if (v->bytes > 8)
		die("%.*s: a struct needs a value", STR_ARG(v->name));
	if (v->bytes == 8) {
		x.pointer = x.input = true;
		x.type = DTYPE_U8;
		x.fill = FILL_ZEROS;
		x.count = BUFFER_BYTES;
		return x;
	}
	if (v->type == PTX_T_f32)
		x.type = DTYPE_F32;
	x.known = dtype_encode(x.type, v->type == PTX_T_f32 ? 1 : 100, &x.bits);
	return x;
}

static struct arg
arg_hex(struct str name, struct str hex)
{
	struct arg x = {.name = name, .known = true, .type = number_of(hex.n / 2)};

	for (size_t i = hex.n / 2; i-- > 0;) { /* little-endian */
		char two[3] = {hex.s[2 * i], hex.s[2 * i + 1], 0};
		x.bits = x.bits << 8 | strtoul(two, NULL, 16);
	}
	return x;
}

static struct arg
arg_given(struct arena *a, struct str name, struct str text)
{
	struct str why = {0}, one = str_fmt(a, "x=%.*s", STR_ARG(text));
	struct arg *v;
	size_t n;

	if (str_find(text, ':') == text.n)
		return arg_hex(name, text);
	if (!args_parse(a, one, &v, &n, &why) || n != 1)
		die("%.*s: %.*s", STR_ARG(text), STR_ARG(why));
	v->name = name;
	return *v;
}

static void
args_make(struct arena *a, struct bench_request *q, const struct ptx_var *params,
	size_t n, char **given)
{
	struct arg *v = arena_news(a, n + 1, struct arg);

	for (size_t i = 0; i < n; i++)
		v[i] = arg_unknown(&params[i]);
	for (; *given; given++) {
		struct str s = str_of(*given);
		size_t eq = str_find(s, '=');
		int64_t at;
		if (eq == s.n || !str_to_i64(str_sub(s, 0, eq), &at) || at < 0 ||
			(size_t)at >= n)
			die("%s: no such argument", *given);
		v[at] = arg_given(a, params[at].name, str_sub(s, eq + 1, s.n));
	}
	q->args = v;
	q->n_args = n;
}

static bool
run(struct arena *a, const struct bench_request *q, struct fault *f)
{
	const struct session_ops *ops = backend_cuda.ops;
	struct str why;
	const struct device *dev = backend_cuda.probe(a, STR_LIT(""), &why);

	if (!dev) {
		*f = (struct fault){RESULT_TROUBLE, why, true};
		return false;
	}
	struct session *s = ops->open(a, dev, f);
	struct loaded *l = s ? ops->load(s, a, q, f) : NULL;
	return l && ops->refill(s, l, 0, f) &&
	       ops->run(s, l, ops->now(s) + q->timeout_ns, f);
}

int
main(int argc, char **argv)
{
	struct arena a = {0};
	struct bench_request q = {0};
	struct fault r = {0};
	const struct ptx_var *params = NULL;
	int64_t seconds;

	if (argc < 4 || !launch_parse(str_of(argv[2]), &q.launch) ||
		!str_to_i64(str_of(argv[3]), &seconds))
		die("usage: launch_one FILE.ptx LAUNCH SECONDS [N=ARGUMENT]...");
	q.timeout_ns = seconds * INT64_C(1000000000);
	q.artifact = fs_read(&a, argv[1]);
	const struct ptx_func *f = kernel_of(&a, argv[1], q.artifact, &params);
	q.entry = f->name;
	args_make(&a, &q, params, f->n_params, argv + 4);
	bool ok = run(&a, &q, &r);
	printf("%s%s%.*s\n", ok ? "ok" : result_status_name(r.status), ok ? "" : " ",
		STR_ARG(r.reason));
	fflush(stdout);
	if (!ok) /* the driver would wait for a kernel that never ends */
		_exit(r.status == RESULT_TROUBLE ? 2 : 1);
	return 0;
}
