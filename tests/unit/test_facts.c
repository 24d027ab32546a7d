#include "captured.h"

#include "base/fs.h"
#include "model/facts.h"

static struct facts *
read_text(struct captured *c, struct str text)
{
	fs_write("facts.json", text, NULL);
	return facts_read(&c->a, "facts.json", &c->d);
}

static struct facts
sample(void)
{
	struct facts f = facts_none();

	f.source = STR_LIT("ptxas -v");
	f.entry = STR_LIT("_Z6reducePfS_i");
	f.artifact = STR_LIT("cubin");
	f.status = STR_LIT("ok");
	f.registers = 26;
	f.spill_store_bytes = 0;
	return f;
}

static void
written_and_read_back(void **state)
{
	struct captured *c = *state;
	struct facts f = sample();
	struct str text = facts_write(&c->a, &f);
	struct facts *back = read_text(c, text);

	assert_non_null(back);
	assert_int_equal(back->registers, 26);
	assert_int_equal(back->spill_store_bytes, 0);
	assert_int_equal(back->spill_load_bytes, -1);
	assert_int_equal(back->max_threads, -1);
	assert_true(str_eq(facts_write(&c->a, back), text));
}

static void
failures_are_data(void **state)
{
	struct captured *c = *state;
	struct facts f = facts_none(), *back;

	f.status = STR_LIT("failed");
	f.reason = STR_LIT("ptxas fatal   : \"quoted\"\nsecond line");
	back = read_text(c, facts_write(&c->a, &f));
	assert_non_null(back);
	assert_true(str_eq(back->reason, f.reason));
}

/* Every member that is cut out, and every prefix of the file, is an error and no crash.
 */
static void
damaged(void **state)
{
	struct captured *c = *state;
	struct facts f = sample();
	struct str text = facts_write(&c->a, &f);

	for (size_t n = 0; n + 2 < text.n; n++) {
		assert_null(read_text(c, str_sub(text, 0, n)));
		assert_int_equal(c->d.errors, 1);
		captured_take(c);
	}
	f.status = STR_LIT("fine");
	assert_null(read_text(c, facts_write(&c->a, &f)));
	assert_says(c, "'status' must be \"ok\" or \"failed\"");
	f = sample();
	f.artifact = STR_LIT("exe");
	assert_null(read_text(c, facts_write(&c->a, &f)));
	assert_says(c, "'artifact'");
	f = sample();
	f.registers = -2;
	assert_null(read_text(c, facts_write(&c->a, &f)));
	assert_says(c, "'registers' must be a whole number from -1");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(written_and_read_back),
		captured_test(failures_are_data),
		captured_test(damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
