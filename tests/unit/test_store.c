#include "scratch.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/proc.h"
#include "cache/store.h"

#define KEY STR_LIT("lanewise-key 1\nnode lower 3\nparam define TILE=128\n")

static const struct store_part parts[] = {
	{{"out", 3}, {"cubin\0bytes\n", 12}},
	{{"status", 6}, {"ok", 2}},
	{{"facts", 5}, {"", 0}},
};

static const char *
entry_of(struct scratch *s, struct str key)
{
	const char *hex = hash_short(&s->a, key, HASH_HEX);
	return str_fmt(&s->a, "cache/%.2s/%s", hex, hex).s;
}

static bool
get(struct scratch *s, struct str key, struct store_part **p, size_t *n)
{
	return store_get(&s->a, "cache", key, p, n);
}

static void
gives_back_what_was_put(void **state)
{
	struct scratch *s = *state;
	struct store_part *p;
	size_t n;
	assert_false(get(s, KEY, &p, &n));
	store_put(&s->a, "cache", KEY, parts, 3);
	assert_true(get(s, KEY, &p, &n));
	assert_int_equal(n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_true(str_eq(p[i].name, parts[i].name));
		assert_true(str_eq(p[i].bytes, parts[i].bytes));
	}
	assert_false(get(s, STR_LIT("another key"), &p, &n));
	store_put(&s->a, "cache", KEY, parts, 0);
	assert_true(get(s, KEY, &p, &n));
	assert_int_equal(n, 0);
}

static void
write_raw(const char *path, struct str bytes)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes.s, 1, bytes.n, f), bytes.n);
	assert_int_equal(fclose(f), 0);
}

static void
any_flipped_bit_is_a_miss(void **state)
{
	struct scratch *s = *state;
	store_put(&s->a, "cache", KEY, parts, 3);
	const char *path = entry_of(s, KEY);
	struct str good = fs_read(&s->a, path);
	char *bytes = str_c(&s->a, good);
	assert_true(good.n > 100);
	for (size_t i = 0; i < good.n; i++)
		for (int bit = 0; bit < 8; bit++) {
			struct arena_mark m = arena_mark(&s->a);
			struct store_part *p;
			size_t n;
			bytes[i] ^= (char)(1 << bit);
			write_raw(path, (struct str){bytes, good.n});
			if (get(s, KEY, &p, &n))
				fail_msg("bit %d of byte %zu", bit, i);
			bytes[i] ^= (char)(1 << bit);
			arena_pop(&s->a, m);
		}
}

static void
any_cut_or_growth_is_a_miss(void **state)
{
	struct scratch *s = *state;
	struct store_part *p;
	size_t n;
	store_put(&s->a, "cache", KEY, parts, 3);
	const char *path = entry_of(s, KEY);
	struct str good = fs_read(&s->a, path);
	for (size_t i = 0; i < good.n; i++) {
		write_raw(path, str_sub(good, 0, i));
		assert_false(get(s, KEY, &p, &n));
	}
	write_raw(path, str_fmt(&s->a, "%.*s%s", STR_ARG(good), "x"));
	assert_false(get(s, KEY, &p, &n));
	char *twice = arena_alloc(&s->a, 2 * good.n);
	memcpy(twice, good.s, good.n);
	memcpy(twice + good.n, good.s, good.n);
	write_raw(path, (struct str){twice, 2 * good.n});
	assert_false(get(s, KEY, &p, &n));
	/* And what is damaged is put right by the next one who does the work. */
	store_put(&s->a, "cache", KEY, parts, 3);
	assert_true(get(s, KEY, &p, &n));
}

/* An entry of another key under this key's name, as a collision would make it. */
static void
a_collision_is_a_miss(void **state)
{
	struct scratch *s = *state;
	struct store_part *p;
	size_t n;
	struct str other =
		STR_LIT("lanewise-key 1\nnode lower 3\nparam define TILE=256\n");
	store_put(&s->a, "cache", other, parts, 3);
	fs_write(entry_of(s, KEY), fs_read(&s->a, entry_of(s, other)), NULL);
	assert_false(get(s, KEY, &p, &n));
}

/* Texts with a right hash but a wrong shape: nothing is read outside of them. */
static void
hostile_entries_are_misses(void **state)
{
	static const char *const bodies[] = {"", "\n", "key 0\n", "key 0\n\n",
		"key -1\n\n", "key 99999999999999999999\n\n",
		"key 18446744073709551615\n\n", "key 4\n\nKEYS",
		"key 3\npart out 1\n\nKEY", "key 3\npart out 18446744073709551615\n\nKEY",
		"key 3\npart out\n\nKEY", "key 3\npart\n\nKEY",
		"key 3\npart out 0 x\n\nKEY", "key 3\nport out 0\n\nKEY",
		"key 3\npart out 0\nKEY", "key 3\npart out 0\n\nKEYx", "key  3\n\nKEY",
		"key 3\n\nKEZ"};
	struct scratch *s = *state;
	struct store_part *p;
	size_t n;
	struct str key = STR_LIT("KEY");
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
		struct str body = str_of(bodies[i]);
		const char *hex = hash_short(&s->a, body, HASH_HEX);
		fs_write(entry_of(s, key),
			str_fmt(&s->a, "lanewise-entry 2 xxh128:%s\n%s", hex, bodies[i]),
			NULL);
		if (get(s, key, &p, &n))
			fail_msg("body %zu: %s", i, bodies[i]);
	}
	struct str good = STR_LIT("key 3\npart out 2\n\nKEYab");
	fs_write(entry_of(s, key),
		str_fmt(&s->a, "lanewise-entry 2 xxh128:%s\n%s",
			hash_short(&s->a, good, HASH_HEX), good.s),
		NULL);
	assert_true(get(s, key, &p, &n)); /* so it was not the frame that was refused */
	struct buf many = {.a = &s->a};
	buf_adds(&many, "key 3\n");
	for (int i = 0; i < 100; i++)
		buf_adds(&many, "part out 0\n");
	buf_adds(&many, "\nKEY");
	fs_write(entry_of(s, key),
		str_fmt(&s->a, "lanewise-entry 2 xxh128:%s\n%s",
			hash_short(&s->a, buf_str(&many), HASH_HEX), buf_c(&many)),
		NULL);
	assert_false(get(s, key, &p, &n));
}

static void
put_on_a_full_disk(void *arg)
{
	struct scratch *s = arg;
	scratch_limit_files(16);
	store_put(&s->a, "cache", KEY, parts, 3);
	_exit(0);
}

static void
what_cannot_be_written_is_not_remembered(void **state)
{
	struct scratch *s = *state;
	struct store_part *p;
	size_t n;
	assert_int_equal(scratch_run(s, put_on_a_full_disk, s).status, 0);
	assert_false(get(s, KEY, &p, &n));
	assert_false(fs_exists(entry_of(s, KEY)));
	store_put(&s->a, "/proc/no/such/cache", KEY, parts, 3);
	assert_false(store_get(&s->a, "/proc/no/such/cache", KEY, &p, &n));
	fs_write("file", STR_LIT("x"), NULL);
	store_put(&s->a, "file", KEY, parts, 3);
	assert_string_equal(scratch_text(s, "file"), "x");
	char *big = arena_alloc(&s->a, (64 << 20) + 1);
	const struct store_part huge = {{"out", 3}, {big, (64 << 20) + 1}};
	store_put(&s->a, "cache", KEY, &huge, 1);
	assert_false(get(s, KEY, &p, &n));
	fs_mkdirs(entry_of(s, KEY)); /* a folder in the place of the entry */
	store_put(&s->a, "cache", KEY, parts, 3);
	assert_false(get(s, KEY, &p, &n));
}

/* Two processes that store different outcomes of one key: a reader sees one of them
 * whole. */
static void
writers_at_once_do_not_mix(void **state)
{
	struct scratch *s = *state;
	pid_t pid[2];
	for (int i = 0; i < 2; i++) {
		pid[i] = fork();
		if (pid[i])
			continue;
		proc_die_with_parent(); /* also when the test fails */
		char *bytes = arena_alloc(&s->a, 100000);
		memset(bytes, 'a' + i, 100000);
		struct store_part p = {
			STR_LIT("out"), {bytes, 50000u * (unsigned)(i + 1)}};
		for (;;) {
			struct arena_mark m = arena_mark(&s->a);
			store_put(&s->a, "cache", KEY, &p, 1);
			arena_pop(&s->a, m);
		}
	}
	while (!fs_exists(entry_of(s, KEY)))
		clock_sleep_ns(100000);
	for (int i = 0; i < 200; i++) {
		struct arena_mark m = arena_mark(&s->a);
		struct store_part *p;
		size_t n;
		assert_true(get(s, KEY, &p, &n));
		assert_int_equal(n, 1);
		char c = p[0].bytes.s[0];
		assert_int_equal(p[0].bytes.n, c == 'a' ? 50000 : 100000);
		for (size_t k = 0; k < p[0].bytes.n; k++)
			assert_int_equal(p[0].bytes.s[k], c);
		arena_pop(&s->a, m);
	}
	for (int i = 0; i < 2; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
}

/* What the store says on stderr when it is asked in a process of its own. */
static void
get_alone(void *arg)
{
	struct scratch *s = arg;
	struct store_part *p;
	size_t n;
	_exit(get(s, KEY, &p, &n) ? 0 : 1);
}

static void
damage_is_told(void **state)
{
	struct scratch *s = *state;
	struct ended e = scratch_run(s, get_alone, s);
	assert_int_equal(e.status, 1);
	assert_string_equal(e.err, ""); /* absent is no damage */
	store_put(&s->a, "cache", KEY, parts, 3);
	const char *path = entry_of(s, KEY);
	write_raw(path, str_sub(fs_read(&s->a, path), 0, 50));
	e = scratch_run(s, get_alone, s);
	assert_int_equal(e.status, 1);
	assert_contains(e.err, path);
	assert_contains(e.err, "not those that were stored; the work is done again");
}

/* A pipe would make the reader wait for ever, a link would lead out of the store. */
static void
what_is_no_file_is_a_miss(void **state)
{
	struct scratch *s = *state;
	struct ended e;
	store_put(&s->a, "cache", KEY, parts, 3);
	const char *path = entry_of(s, KEY);
	struct str good = fs_read(&s->a, path);
	fs_write("elsewhere", good, NULL);
	fs_remove(path);
	assert_int_equal(symlink("../../elsewhere", path), 0);
	e = scratch_run(s, get_alone, s);
	assert_int_equal(e.status, 1);
	assert_contains(e.err, "it is a link");
	fs_remove(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	e = scratch_run(s, get_alone, s);
	assert_int_equal(e.status, 1);
	assert_contains(e.err, "it is no file");
	fs_remove(path);
	write_raw(path, good);
	assert_int_equal(scratch_run(s, get_alone, s).status, 0);
}

static void
anothers_file_is_a_miss(void **state)
{
	struct scratch *s = *state;
	if (geteuid() != 0)
		skip(); /* only root can give a file away */
	store_put(&s->a, "cache", KEY, parts, 3);
	assert_int_equal(chown(entry_of(s, KEY), 12345, 12345), 0);
	assert_int_equal(chmod("cache", 0755), 0);
	struct ended e = scratch_run(s, get_alone, s);
	assert_int_equal(e.status, 1);
	assert_contains(e.err, "somebody who does not own the cache");
	assert_int_equal(chmod("cache", 0775), 0); /* a store that a group shares */
	assert_int_equal(scratch_run(s, get_alone, s).status, 0);
	assert_int_equal(chmod("cache", 0755), 0);
	assert_int_equal(chown("cache", 12345, 12345), 0); /* or that is all of theirs */
	assert_int_equal(scratch_run(s, get_alone, s).status, 0);
}

static void
get_and_put_as_nobody(void *arg)
{
	struct scratch *s = arg;
	struct store_part *p;
	size_t n;
	if (geteuid() == 0 && setuid(65534) != 0)
		_exit(3);
	bool hit = get(s, KEY, &p, &n);
	store_put(&s->a, "cache", STR_LIT("another"), parts, 3);
	_exit(hit && !get(s, STR_LIT("another"), &p, &n) ? 0 : 1);
}

static void
a_read_only_store_gives_and_takes_nothing(void **state)
{
	struct scratch *s = *state;
	store_put(&s->a, "cache", KEY, parts, 3);
	char *dir = fs_dirname(&s->a, entry_of(s, KEY));
	assert_int_equal(chmod(s->dir, 0755), 0);
	assert_int_equal(chmod("cache", 0555), 0);
	assert_int_equal(chmod(dir, 0555), 0);
	struct ended e = scratch_run(s, get_and_put_as_nobody, s);
	assert_int_equal(e.status, 0);
	assert_string_equal(e.err, ""); /* no complaint: that is how it was set up */
	assert_int_equal(chmod("cache", 0755), 0);
	assert_int_equal(chmod(dir, 0755), 0);
}

static void
a_store_that_vanishes_is_made_again(void **state)
{
	struct scratch *s = *state;
	struct store_part *p;
	size_t n;
	store_put(&s->a, "cache", KEY, parts, 3);
	assert_int_equal(nftw("cache", scratch_forget, 16, FTW_DEPTH | FTW_PHYS), 0);
	assert_false(get(s, KEY, &p, &n));
	store_put(&s->a, "cache", KEY, parts, 3);
	assert_true(get(s, KEY, &p, &n));
}

/* Room for the message, which is a file here too, and not for the entry. */
static void
put_on_an_almost_full_disk(void *arg)
{
	struct scratch *s = arg;
	scratch_limit_files(90);
	store_put(&s->a, "cache", KEY, parts, 3);
	_exit(0);
}

static void
a_full_disk_is_told(void **state)
{
	struct scratch *s = *state;
	struct ended e = scratch_run(s, put_on_an_almost_full_disk, s);
	assert_contains(e.err, "cache: cannot keep");
	const char **names;
	assert_int_equal(fs_list(&s->a, fs_dirname(&s->a, entry_of(s, KEY)), &names), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(gives_back_what_was_put),
		scratch_test(any_flipped_bit_is_a_miss),
		scratch_test(any_cut_or_growth_is_a_miss),
		scratch_test(a_collision_is_a_miss),
		scratch_test(hostile_entries_are_misses),
		scratch_test(what_cannot_be_written_is_not_remembered),
		scratch_test(writers_at_once_do_not_mix),
		scratch_test(damage_is_told),
		scratch_test(what_is_no_file_is_a_miss),
		scratch_test(anothers_file_is_a_miss),
		scratch_test(a_read_only_store_gives_and_takes_nothing),
		scratch_test(a_store_that_vanishes_is_made_again),
		scratch_test(a_full_disk_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
