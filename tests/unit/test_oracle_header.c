#include "model/dtype.h"

#include "../templates/lanewise_oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* What an oracle reads is what the program decodes: every code of the narrow types. */
static void
every_code(void **state)
{
	static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_E4M3, DTYPE_E5M2,
		DTYPE_I8, DTYPE_U8, DTYPE_I16, DTYPE_U16};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		size_t bytes = dtype_bytes(types[i]);
		for (uint32_t code = 0; code < 1u << 8 * bytes; code++) {
			uint16_t wide = (uint16_t)code;
			struct lanewise_arg v = {"x", dtype_name(types[i]), 1, &wide, 0};
			double got = lanewise_value(&v, 0);
			double want = dtype_decode(types[i], &wide);
			if (memcmp(&got, &want, sizeof got) != 0 &&
				!(isnan(got) && isnan(want)))
				fail_msg(
					"%s 0x%x is %g, not %g", v.type, code, got, want);
		}
	}
}

static void
other_types(void **state)
{
	float f[2] = {1, -0.1f};
	double d[2] = {1, 0.1};
	int32_t i[2] = {1, INT32_MIN};
	uint32_t u[2] = {1, UINT32_MAX};
	int64_t wide[2] = {1, INT64_MIN};
	uint64_t top[2] = {1, UINT64_MAX};
	struct lanewise_arg v[] = {{"", "f32", 2, f, 0}, {"", "tf32", 2, f, 0},
		{"", "f64", 2, d, 0}, {"", "i32", 2, i, 0}, {"", "u32", 2, u, 0},
		{"", "i64", 2, wide, 0}, {"", "u64", 2, top, 0}};
	static const double want[] = {
		(double)-0.1f, (double)-0.1f, 0.1, -0x1p31, 0x1p32 - 1, -0x1p63, 0x1p64};
	for (size_t j = 0; j < sizeof v / sizeof *v; j++) {
		assert_true(lanewise_value(&v[j], 0) == 1);
		assert_true(lanewise_value(&v[j], 1) == want[j]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code),
		cmocka_unit_test(other_types),
	};
	return cmocka_run_group_tests_name("oracle_header", tests, NULL, NULL);
}
