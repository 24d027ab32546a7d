#include "captured.h"

#include "format/template.h"

static void
fills_names(void **state)
{
	struct captured *c = *state;
	const struct template_var vars[] = {
		{"name", STR_LIT("reduce")}, {"N_2", STR_LIT("@x@")}};
	struct str out = template_fill(
		&c->a, STR_LIT("a @name@, @N_2@; me@host @ @@ @no"), vars, 2);
	assert_string_equal(out.s, "a reduce, @x@; me@host @ @@ @no");
	assert_int_equal(template_fill(&c->a, (struct str){0}, vars, 2).n, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {captured_test(fills_names)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
