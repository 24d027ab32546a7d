#include "finished_run.h"

#include "model/shortlist.h"
#include "node/rows.h"

extern const struct node node_shortlist;

static const struct node *const shortlist_nodes[] = {&node_shortlist, NULL};

enum { MANY = 20 };

/* Candidates P=0 ... of kernel k at size s. */
struct field {
	struct arena *a;
	size_t n;
	double ns[MANY];
	bool out[MANY];      /* lost their race against P=0 */
	double anchor[MANY]; /* level of the bracket; 0: none */
	long baseline;       /* -1: none */
	const char *artifact;
	const char *library, *hash; /* NULL: none */
};

static struct str
name(const struct field *f, size_t i)
{
	return str_fmt(f->a, "P=%zu", i);
}

static void
write_points(const struct field *f)
{
	struct json_out o = {.b = {.a = f->a}};

	run_points_head(&o, "k", "k.cu", &(struct run_opts){0});
	json_open_array(&o, "sizes", false);
	run_size(&o, "s", 1024);
	json_close_array(&o);
	if (f->baseline >= 0)
		json_put_str(&o, "baseline", name(f, (size_t)f->baseline));
	json_open_array(&o, "points", false);
	for (size_t i = 0; i < f->n; i++)
		run_point(f->a, &o, name(f, i), "S", "s", STR_LIT("64,1,1/1,1,1/1,1,1/0"),
			(double)NAN);
	json_close_array(&o);
	json_close_object(&o);
	fs_write("points.json", json_done(&o), NULL);
}

static struct result
result_at(const struct field *f, size_t i)
{
	struct result r = run_result("k", name(f, i), "s", f->ns[i]);

	r.window.screened_out = f->out[i];
	r.window.incumbent = f->out[i] ? STR_LIT("P=0@s") : (struct str){0};
	if (f->anchor[i] > 0) {
		r.window.anchor = STR_LIT("P=0@s");
		r.window.before_ns = r.window.after_ns = f->anchor[i];
	}
	return r;
}

static void
write_rows(const struct field *f)
{
	struct verdict v[MANY] = {0};
	struct result results[MANY];
	struct str points[MANY];
	struct rows rows = {.kernel = STR_LIT("k"),
		.specialization = STR_LIT("S"),
		.artifact = str_of(f->artifact),
		.static_shared_bytes = -1,
		.verdicts = v,
		.n_verdicts = f->n,
		.has_facts = true,
		.facts = run_facts(32, 0),
		.points = points,
		.results = results,
		.n_results = f->n};

	for (size_t i = 0; i < f->n; i++) {
		points[i] = v[i].point = str_fmt(f->a, "P=%zu@s", i);
		launch_parse(STR_LIT("64,1,1/1,1,1/1,1,1/0"), &v[i].launch);
		v[i].kind = i % 2 ? VERDICT_CAVEAT : VERDICT_CLEAN;
		v[i].findings = i % 2 ? run_caveat(f->a) : NULL;
		v[i].n_findings = i % 2;
		results[i] = result_at(f, i);
	}
	fs_write("rows.json", rows_write(f->a, &rows), NULL);
}

static int
run(const struct field *f)
{
	const char *words = "shortlist --kernel k --points points.json --device dev.json "
			    "--row rows.json --size s --dir .lanewise/k --seed 1 -o "
			    "list.json";
	char *argv[64];
	int argc = 0;
	const char *library =
		f->library ? str_fmt(f->a, " --library %s", f->library).s : "";
	const char *hash = f->hash ? str_fmt(f->a, " --library-hash %s", f->hash).s : "";
	struct str rest = str_fmt(f->a, "%s%s%s", words, library, hash), word;
	struct diag d = {0};

	write_points(f);
	write_rows(f);
	fs_write("dev.json", device_write(f->a, device_find(f->a, "h200", &d)), NULL);
	while (str_split(&rest, ' ', &word))
		argv[argc++] = str_c(f->a, word);
	return node_main(f->a, shortlist_nodes, argc, argv);
}

static struct shortlist *
list_of(const struct field *f)
{
	struct diag d = {0};

	assert_int_equal(run(f), 0);
	struct shortlist *s =
		shortlist_read(f->a, json_parse_file(f->a, "list.json", &d), &d);
	assert_non_null(s);
	return s;
}

/* "candidate P=0@s, control P=0@s" */
static const char *
members(const struct field *f)
{
	struct shortlist *s = list_of(f);
	struct buf b = {.a = f->a};

	for (size_t i = 0; i < s->n; i++)
		buf_addf(&b, "%s%s %.*s", i ? ", " : "", final_role_name(s->v[i].role),
			STR_ARG(s->v[i].point));
	return buf_c(&b);
}

static struct field
field(struct scratch *s, size_t n)
{
	struct field f = {.a = &s->a, .n = n, .baseline = -1, .artifact = "abcd"};

	for (size_t i = 0; i < n; i++)
		f.ns[i] = 1000 + 100 * (double)i;
	return f;
}

static void
at_least_three(void **state)
{
	struct field f = field(*state, 6);

	assert_string_equal(members(&f),
		"candidate P=0@s, candidate P=1@s, candidate P=2@s, control P=0@s");
	f.baseline = 5;
	assert_string_equal(members(&f),
		"candidate P=0@s, candidate P=1@s, candidate P=2@s, baseline P=5@s, "
		"control P=5@s");
	f.baseline = 1; /* among the fastest: it is no candidate besides */
	assert_string_equal(members(&f),
		"candidate P=0@s, candidate P=2@s, candidate P=3@s, baseline P=1@s, "
		"control P=1@s");
}

static void
all_that_are_near_but_eight(void **state)
{
	struct field f = field(*state, 12);

	for (size_t i = 0; i < 5; i++)
		f.ns[i] = 1000 + 4 * (double)i;
	assert_int_equal(list_of(&f)->n, 5 + 1);
	for (size_t i = 0; i < 12; i++)
		f.ns[i] = 1000 + (double)i;
	assert_int_equal(list_of(&f)->n, 8 + 1);
	f.n = 1;
	assert_string_equal(members(&f), "candidate P=0@s, control P=0@s");
	f.n = 0;
	assert_int_equal(list_of(&f)->n, 0);
}

/* One that lost its race is checked; which one hardly depends on the others. */
static void
one_audit(void **state)
{
	struct field f = field(*state, 12);
	const struct shortlist *s;
	struct str audit;

	for (size_t i = 4; i < 12; i++)
		f.out[i] = true;
	s = list_of(&f);
	assert_int_equal(s->v[s->n - 1].role, FINAL_AUDIT);
	audit = s->v[s->n - 1].point;
	for (size_t i = 4; i < 12; i++) {
		struct str other = str_fmt(f.a, "P=%zu@s", i);
		f.out[i] = str_eq(other, audit);
		s = list_of(&f);
		assert_true(str_eq(s->v[s->n - 1].point, audit));
		f.out[i] = true;
	}
	/* Its incumbent is gone: it lost no race that counts. */
	f.out[0] = true;
	assert_int_equal(list_of(&f)->v[0].role, FINAL_CANDIDATE);
	assert_string_equal(members(&f),
		"candidate P=0@s, candidate P=1@s, candidate P=2@s, control P=0@s");
	/* It was edited since, and is slower than who lost against it. */
	f.out[0] = false;
	f.ns[0] = 1e6;
	assert_string_equal(members(&f),
		"candidate P=1@s, candidate P=2@s, candidate P=3@s, control P=1@s");
}

/* Times of a window in which the device was slower are brought to the others. */
static void
windows_are_brought_together(void **state)
{
	struct field f = field(*state, 8);

	for (size_t i = 0; i < 8; i++) {
		f.ns[i] = i == 7 ? 1800 : 1000 + 500 * (double)i;
		f.anchor[i] = i == 7 ? 4000 : 2000; /* then it takes 900 */
	}
	assert_string_equal(members(&f),
		"candidate P=0@s, candidate P=1@s, candidate P=7@s, control P=7@s");
}

static void
no_times_in_it(void **state)
{
	struct field f = field(*state, 6);
	struct str before, after;

	list_of(&f);
	assert_true(fs_try_read(f.a, "list.json", &before));
	for (size_t i = 0; i < 3; i++)
		f.ns[i] *= 1.01 + 0.001 * (double)i;
	list_of(&f);
	assert_true(fs_try_read(f.a, "list.json", &after));
	assert_true(str_eq(before, after));
}

static void
what_it_says_of_a_member(void **state)
{
	struct field f = field(*state, 3);
	const struct shortlist_member *m = &list_of(&f)->v[1];

	assert_string_equal(m->point.s, "P=1@s");
	assert_true(m->caveat);
	assert_string_equal(m->artifact.s, ".lanewise/k/cubin/S.cubin");
	assert_string_equal(m->artifact_hash.s, "abcd");
	assert_string_equal(m->verdicts.s, ".lanewise/k/gate/S.verdict.json");
	assert_string_equal(m->entry.s, "k");
	assert_string_equal(m->launch.s, "64,1,1/1,1,1/1,1,1/0");
}

/* A library stands after all others, with what the baseline is given. */
static void
a_library_takes_part(void **state)
{
	struct field f = field(*state, 3);
	const char *gemm = "cublas:gemm,m=2,n=2,k=2,a=a,b=b,c=c";
	const struct shortlist *s;
	const struct shortlist_member *m;

	f.baseline = 1;
	f.library = gemm;
	s = list_of(&f);
	m = &s->v[s->n - 1];
	assert_int_equal(m->role, FINAL_REFERENCE);
	assert_string_equal(m->point.s, "cublas");
	assert_string_equal(m->library.s, gemm);
	assert_true(str_eq(m->args, s->v[0].args) && m->artifact.n == 0);
	f.library = ".lanewise/in/lib/mine.so:f";
	f.hash = "00112233445566778899aabbccddeeff";
	s = list_of(&f);
	m = &s->v[s->n - 1];
	assert_string_equal(m->point.s, "mine.so");
	assert_string_equal(m->artifact.s, ".lanewise/in/lib/mine.so");
	assert_string_equal(m->artifact_hash.s, f.hash);
	f.n = 0; /* nobody is there to be compared with */
	assert_int_equal(list_of(&f)->n, 0);
}

static void
in_child(void *f)
{
	exit(run(f));
}

static void
machine_code_that_is_gone(void **state)
{
	struct field f = field(*state, 3);
	struct ended e;

	f.artifact = "";
	e = scratch_run(*state, in_child, &f);
	assert_int_equal(e.status, 2);
	assert_non_null(strstr(e.err, "machine code is gone"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(at_least_three),
		scratch_test(all_that_are_near_but_eight),
		scratch_test(one_audit),
		scratch_test(windows_are_brought_together),
		scratch_test(no_times_in_it),
		scratch_test(what_it_says_of_a_member),
		scratch_test(a_library_takes_part),
		scratch_test(machine_code_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
