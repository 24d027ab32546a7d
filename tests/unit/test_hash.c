#include "scratch.h"

#include "base/hash.h"

/* The digest is on disk in every cache: it may never change.  The empty input's value is
 * the one `xxhsum -H128 /dev/null` prints. */
static void
is_xxh3_128(void **state)
{
	char hex[HASH_HEX + 1];
	hash_hex(hash_bytes((struct str){0}), hex);
	assert_string_equal(hex, "99aa06d3014798d86001c324468d497f");
	hash_hex(hash_bytes(STR_LIT("")), hex);
	assert_string_equal(hex, "99aa06d3014798d86001c324468d497f");
	hash_hex((struct hash){1, 0xab}, hex);
	assert_string_equal(hex, "000000000000000100000000000000ab");
}

static void
every_byte_counts(void **state)
{
	char text[257];
	memset(text, 'q', sizeof text);
	struct hash h = hash_bytes((struct str){text, sizeof text});
	for (size_t i = 0; i < sizeof text; i++) {
		text[i] ^= 1;
		struct hash other = hash_bytes((struct str){text, sizeof text});
		assert_false(other.hi == h.hi && other.lo == h.lo);
		text[i] ^= 1;
	}
}

static void
files_hash_as_their_bytes(void **state)
{
	struct hash h = {0}, want = hash_bytes(STR_LIT("x\0y\n"));
	fs_write("f", STR_LIT("x\0y\n"), NULL);
	assert_true(hash_file("f", &h));
	assert_true(h.hi == want.hi && h.lo == want.lo);
	assert_false(hash_file("absent", &h));
	assert_false(hash_file(".", &h));
}

static void
short_form_is_a_prefix(void **state)
{
	struct scratch *s = *state;
	assert_string_equal(hash_short(&s->a, STR_LIT(""), 8), "99aa06d3");
	assert_int_equal(strlen(hash_short(&s->a, STR_LIT("a"), 999)), HASH_HEX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_xxh3_128),
		cmocka_unit_test(every_byte_counts),
		scratch_test(files_hash_as_their_bytes),
		scratch_test(short_form_is_a_prefix),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
