/*
 * gate FOLDER FILE.ptx...: times of reading and of gate_check on FOLDER/launches.txt; on
 * every entry of the files, no argument given; and the memory all that took.  Times are
 * of the processor, so that a busy machine does not count.
 */
#include "gate/gate.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/fs.h"
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { RUNS = 21, LAUNCHES_MAX = 1000, ARGS_MAX = 32 };

struct timing {
	struct str name;
	double prepare_us, check_us;
};

static double
cpu_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int
by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static struct str
word(struct str *rest)
{
	struct str w;
	while (rest->n && rest->s[0] == ' ')
		*rest = str_sub(*rest, 1, rest->n);
	w = str_sub(*rest, 0, str_find(*rest, ' '));
	*rest = str_sub(*rest, w.n, rest->n);
	return w;
}

static unsigned
nibble(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

static void
read_args(struct arena *a, struct str text, struct gate_arg *args)
{
	struct str one;
	while (!str_is(text, "-") && str_split(&text, ',', &one)) {
		size_t eq = str_find(one, '=');
		struct str hex = str_sub(one, eq + 1, one.n);
		unsigned char *p = arena_alloc(a, hex.n / 2 + 1);
		int64_t at = 0;
		if (!str_to_i64(str_sub(one, 0, eq), &at) || at >= ARGS_MAX)
			die("'%.*s' is no argument", STR_ARG(one));
		for (size_t i = 0; i < hex.n / 2; i++)
			p[i] = (unsigned char)(nibble(hex.s[2 * i]) << 4 |
					       nibble(hex.s[2 * i + 1]));
		args[at] = (struct gate_arg){GATE_ARG_BYTES, p, hex.n / 2};
	}
}

static struct timing
measure(const char *dir, struct str line)
{
	struct arena a = {0};
	struct diag d = {0};
	struct timing t = {.name = word(&line)};
	struct gate_arg args[ARGS_MAX] = {0};
	struct gate_query q = {.args = args, .n_args = ARGS_MAX};
	struct str why = {0};
	double prepare[RUNS], check[RUNS];
	const char *path = str_c(&a, str_fmt(&a, "%s/%.*s.ptx", dir, STR_ARG(t.name)));
	struct source src = {path, fs_read(&a, path)};
	if (!launch_parse(word(&line), &q.launch))
		die("a launch is malformed");
	read_args(&a, word(&line), args);
	struct arena_mark mark = arena_mark(&a);
	for (int i = 0; i < RUNS; i++) {
		arena_pop(&a, mark);
		double t0 = cpu_us();
		const struct ptx_module *m = ptx_parse(&a, &src, &d);
		struct gate_kernel *k = m ? gate_prepare(&a, m, t.name, &why) : NULL;
		double t1 = cpu_us();
		if (!k)
			die("%s: %.*s", path, STR_ARG(why));
		gate_check(&a, k, &q);
		prepare[i] = t1 - t0;
		check[i] = cpu_us() - t1;
	}
	qsort(prepare, RUNS, sizeof *prepare, by_number);
	qsort(check, RUNS, sizeof *check, by_number);
	t.prepare_us = prepare[RUNS / 2];
	t.check_us = check[RUNS / 2];
	arena_release(&a);
	return t;
}

static void
report(const char *what, double *v, size_t n)
{
	qsort(v, n, sizeof *v, by_number);
	printf("%-8s %zu launches: median %.1f us, 95 %% %.1f us, max %.1f us\n", what, n,
		v[n / 2], v[n * 95 / 100], v[n - 1]);
}

static struct launch
own_launch(const struct ptx_func *f)
{
	const uint32_t *n = f->reqntid.v[0] ? f->reqntid.v : f->maxntid.v;
	struct launch l = {.block = {128, 1, 1},
		.grid = {4, 1, 1},
		.cluster = {1, 1, 1},
		.cooperative = true};
	if (n[0])
		l.block = (struct dim){n[0], n[1] ? n[1] : 1, n[2] ? n[2] : 1};
	return l;
}

/* The entry that takes longest. */
static void
measure_file(const char *path)
{
	struct arena a = {0};
	struct diag d = {0};
	struct str why = {0}, slowest = {0};
	struct source src = {path, fs_read(&a, path)};
	const struct ptx_module *m = ptx_parse(&a, &src, &d);
	double most = 0;
	unsigned n = 0;
	for (uint32_t i = 0; m && i < m->n_funcs; i++) {
		const struct ptx_func *f = &m->funcs[i];
		struct gate_query q = {.launch = own_launch(f)};
		double check[RUNS];
		if (!f->entry || !f->defined)
			continue;
		struct gate_kernel *k = gate_prepare(&a, m, f->name, &why);
		for (int r = 0; r < RUNS; r++) {
			struct arena_mark mark = arena_mark(&a);
			double t = cpu_us();
			gate_check(&a, k, &q);
			check[r] = cpu_us() - t;
			arena_pop(&a, mark);
		}
		qsort(check, RUNS, sizeof *check, by_number);
		n++;
		if (check[RUNS / 2] > most) {
			most = check[RUNS / 2];
			slowest = f->name;
		}
	}
	printf("%10.1f us  slowest of %u entries, %.*s in %s\n", most, n,
		(int)(slowest.n > 90 ? 90 : slowest.n), slowest.s, path);
	arena_release(&a);
}

int
main(int argc, char **argv)
{
	static struct timing t[LAUNCHES_MAX];
	static double v[LAUNCHES_MAX];
	struct arena a = {0};
	size_t n = 0;
	struct rusage u;
	if (argc < 2)
		die("usage: gate FOLDER FILE.ptx...");
	struct str text = fs_read(&a, str_c(&a, str_fmt(&a, "%s/launches.txt", argv[1]))),
		   line;
	while (str_line(&text, &line) && n < LAUNCHES_MAX)
		if (line.n && line.s[0] != '#')
			t[n++] = measure(argv[1], line);
	for (size_t i = 0; i < n; i++)
		v[i] = t[i].prepare_us;
	report("prepare", v, n);
	for (size_t i = 0; i < n; i++)
		v[i] = t[i].check_us;
	report("check", v, n);
	for (size_t i = 0; i < n; i++)
		if (t[i].check_us >= v[n * 97 / 100])
			printf("  %10.1f us  %.*s\n", t[i].check_us, STR_ARG(t[i].name));
	for (int i = 2; i < argc; i++)
		measure_file(argv[i]);
	if (!getrusage(RUSAGE_SELF, &u))
		printf("memory   at most %ld MiB resident\n", u.ru_maxrss >> 10);
	arena_release(&a);
	return 0;
}
