/*
 * Kernels about which the gate was once wrong, made smaller: tests/gate/found/NAME.ptx,
 * mostly found by tests/prop/prop_gate.c.  The first line of each says what it is
 * launched with, the two arguments behind the pointer ("- -": not given) and the answers
 * that are right:
 *
 *     // 32,1,1/5,1,1/1,1,1/0 0 0 clean
 */
#include "base/arena.h"
#include "base/diag.h"
#include "base/fs.h"
#include "gate/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct str
word(struct str *rest)
{
	struct str w = str_sub(*rest, 0, str_find(*rest, ' '));

	*rest = str_sub(*rest, w.n + (w.n < rest->n), rest->n);
	return w;
}

static void
read_args(struct str *line, unsigned char bytes[2][4], struct gate_arg args[3])
{
	args[0] = (struct gate_arg){GATE_ARG_POINTER, NULL, 0};
	for (int i = 0; i < 2; i++) {
		struct str w = word(line);
		uint64_t v = 0;

		args[i + 1] = (struct gate_arg){GATE_ARG_UNKNOWN, NULL, 0};
		if (str_is(w, "-"))
			continue;
		assert_true(str_to_u64(w, &v));
		for (int j = 0; j < 4; j++)
			bytes[i][j] = (unsigned char)(v >> (8 * j));
		args[i + 1] = (struct gate_arg){GATE_ARG_BYTES, bytes[i], 4};
	}
}

static void
judge_file(struct arena *a, const char *path)
{
	struct diag d = {0};
	struct str text, line, rest, why = {0};
	unsigned char bytes[2][4];
	struct gate_arg args[3];
	struct gate_query q = {.args = args, .n_args = 3};
	bool right = false;

	assert_true(fs_try_read(a, path, &text));
	rest = text;
	assert_true(str_line(&rest, &line));
	assert_true(str_is(word(&line), "//"));
	assert_true(launch_parse(word(&line), &q.launch));
	read_args(&line, bytes, args);
	struct source src = {path, text};
	const struct ptx_module *m = ptx_parse(a, &src, &d);
	assert_non_null(m);
	struct gate_kernel *k = gate_prepare(a, m, (struct str){0}, &why);
	assert_non_null(k);
	struct verdict v = gate_check(a, k, &q);
	while (line.n && !right)
		right = str_is(word(&line), verdict_name(v.kind));
	if (!right)
		fail_msg("%s: %s", path, verdict_name(v.kind));
}

static void
test_found(void **state)
{
	const char *src = getenv("SRCDIR");
	struct arena a = {0};
	const char *dir = fs_join(&a, src ? src : ".", "tests/gate/found");
	const char **names;
	size_t n = fs_list(&a, dir, &names);

	assert_true(n > 0);
	for (size_t i = 0; i < n; i++)
		judge_file(&a, fs_join(&a, dir, names[i]));
	arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_found)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
