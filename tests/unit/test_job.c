#include "captured.h"

#include "base/fs.h"
#include "base/rng.h"
#include "measure/job.h"

#include <unistd.h>

/* A whole job of every kind of member. */
static struct job
sample(struct arena *a)
{
	struct job_member *m = arena_news(a, 2, struct job_member);
	struct constant *k;
	struct str why;
	struct arg *v;

	for (int i = 0; i < 2; i++) {
		struct bench_request *q = &m[i].request;

		assert_true(args_parse(a,
			STR_LIT("in=f32*[100]:exact,out=f32*[100]:out,n=i32:100"), &v,
			&q->n_args, &why));
		assert_true(launch_parse(STR_LIT("64,1,1/2,1,1/1,1,1/0"), &q->launch));
		q->args = v;
		q->artifact = STR_LIT("machine code");
		q->artifact_path = "/tmp/a b\"\\\n.cubin";
		q->entry = STR_LIT("_Z3foo");
		q->seed = UINT64_MAX;
		q->rel = 1e-6;
		q->timeout_ns = 2000000000;
	}
	assert_true(constants_parse(
		a, STR_LIT("taps=f32[2]:0.25;0.5"), &k, &m[0].request.n_constants, &why));
	m[0].request.constants = k;
	m[1].request.library = STR_LIT("/opt/x.so:gemm");
	m[0].point = STR_LIT("B=32@1M");
	m[1].point = STR_LIT("B=64@1M");
	m[1].role = FINAL_AUDIT;
	m[1].request.reference_path = "/r";
	m[1].request.reference_by = STR_LIT("oracle");
	m[1].request.nondeterministic = true;
	return (struct job){.kind = JOB_FINAL,
		.project = STR_LIT("/home/some one"),
		.kernel = STR_LIT("reduce"),
		.size = STR_LIT("1M"),
		.member = m,
		.n = 2,
		.cache = CACHE_WARM,
		.margin = 0.005,
		.energy = true,
		.alone = true};
}

static struct job *
read_back(struct captured *c, struct str text)
{
	struct source *src = arena_new(&c->a, struct source);

	*src = (struct source){"job", text};
	return job_read(&c->a, json_parse(&c->a, src, &c->d), &c->d);
}

static void
written_and_read_back(void **state)
{
	struct captured *c = *state;
	struct job j = sample(&c->a), *back;
	struct str text = job_write(&c->a, &j);

	assert_int_equal(str_find(text, '\n'), text.n);
	back = read_back(c, text);
	assert_non_null(back);
	assert_int_equal(back->n, 2);
	assert_int_equal(back->kind, JOB_FINAL);
	assert_true(back->energy && back->alone && back->margin == 0.005);
	assert_int_equal(back->member[1].role, FINAL_AUDIT);
	assert_string_equal(
		back->member[0].request.artifact_path, "/tmp/a b\"\\\n.cubin");
	assert_null(back->member[0].request.reference_path);
	assert_true(back->member[0].request.seed == UINT64_MAX);
	assert_int_equal(back->member[0].request.n_args, 3);
	assert_int_equal(back->member[0].request.n_constants, 1);
	assert_true(str_is(back->member[1].request.library, "/opt/x.so:gemm"));
	assert_true(str_is(back->member[0].request.point, "B=32@1M"));
	assert_true(str_eq(job_write(&c->a, back), text));
}

/* One piece of the text for another. */
static struct str
with(struct captured *c, const char *old, const char *new)
{
	struct job j = sample(&c->a);
	struct str text = job_write(&c->a, &j);
	char *at = strstr(arena_copy(&c->a, text.s, text.n), old);
	struct buf b = {.a = &c->a};

	assert_non_null(at);
	at = strstr(text.s, old);
	buf_add(&b, text.s, (size_t)(at - text.s));
	buf_adds(&b, new);
	buf_adds(&b, at + strlen(old));
	return buf_str(&b);
}

static void
hostile(void **state)
{
	static const struct {
		const char *old, *new, *says;
	} cases[] = {
		{"job.v1", "job.v2", "job:1:12: error: expected schema"},
		{"\"final\"", "\"finale\"", "'kind' is screen"},
		{"\"final\"", "\"screen\"", "only a final has several"},
		{"\"warm\"", "\"hot\"", "'cache' is cold or warm"},
		{"0.005", "-1", "'margin' is a number from 0 to 1"},
		{"0.005", "null", "'margin' is a number from 0 to 1"},
		{"\"/tmp", "\"tmp", "'artifact' must be an absolute path"},
		{"\"/r\"", "\"../r\"", "'reference' must be an absolute path"},
		{"\"audit\"", "\"judge\"", "unknown role"},
		{"64,1,1/2", "64,0,1/2", "a launch is"},
		{"n=i32:100", "n=i33:100", "unknown type"},
		{"taps=f32", "taps=f31", "unknown type"},
		{"x.so:gemm", "x.so:", "job:1:"},
		{"2000000000", "0", "'timeout_ns' must be a whole number"},
		{"2000000000", "1e300", "'timeout_ns' must be a whole number"},
		{"\"outputs_only\": false", "\"outputs_only\": true", "no file for them"},
		{"\"artifact_hash\": \"", "\"artifact_hash\": \"0", "a hash has 32"},
		{"\"ulp\": 0,", "", "'ulp' is missing"},
		{"\"abs\": 0", "\"abs\": -0.5", "'abs' must be a number that is not"},
	};
	struct captured *c = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_null(read_back(c, with(c, cases[i].old, cases[i].new)));
		assert_says(c, cases[i].says);
	}
	assert_null(read_back(c, STR_LIT("")));
	assert_null(read_back(c, STR_LIT("[]")));
	assert_null(read_back(c, STR_LIT("{\"schema\":\"lanewise/job.v1\"}")));
}

/* Damaged texts are read or refused; what is read is written and read the same again. */
static void
damaged(void **state)
{
	enum { N = 4000 };
	struct captured *c = *state;
	struct job j = sample(&c->a);
	struct str text = job_write(&c->a, &j);
	struct rng r = {7};
	int refused = 0;

	for (int i = 0; i < N; i++) {
		struct arena_mark mark = arena_mark(&c->a);
		char *copy = arena_copy(&c->a, text.s, text.n);
		size_t n = text.n;
		for (uint64_t k = rng_below(&r, 3) + 1; k > 0; k--) {
			size_t at = (size_t)rng_below(&r, n);
			if (rng_below(&r, 4) == 0)
				n = at + 1;
			else
				copy[at] =
					"\"{}[],:-09eE.xn/\\ \1\377\t"[rng_below(&r, 22)];
		}
		struct job *back = read_back(c, (struct str){copy, n});
		if (back) {
			struct str again = job_write(&c->a, back);
			back = read_back(c, again);
			assert_non_null(back);
			assert_true(str_eq(job_write(&c->a, back), again));
		} else {
			assert_true(c->d.errors > 0);
			refused++;
			captured_take(c);
		}
		arena_pop(&c->a, mark);
	}
	assert_true(refused > N / 2);
}

static void
artifacts(void **state)
{
	struct captured *c = *state;
	struct job j = sample(&c->a), *back;
	struct str why = {0};
	char name[] = "/tmp/lanewise-job-XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	close(fd);
	j.kind = JOB_SCREEN;
	j.n = 1;
	j.member[0].request.artifact_path = name;
	back = read_back(c, job_write(&c->a, &j));
	assert_non_null(back);
	assert_int_equal(back->member[0].request.artifact.n, 0);
	fs_write(name, STR_LIT("machine code"), NULL);
	assert_true(job_load(&c->a, back, &why));
	assert_true(str_is(back->member[0].request.artifact, "machine code"));
	fs_write(name, STR_LIT("machine cod"), NULL);
	assert_false(job_load(&c->a, back, &why));
	assert_true(str_has(why, STR_LIT("was changed")));
	fs_remove(name);
	assert_false(job_load(&c->a, back, &why));
	assert_true(str_has(why, STR_LIT("cannot read")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(written_and_read_back),
		captured_test(hostile),
		captured_test(damaged),
		captured_test(artifacts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
