#include "scratch.h"

#include "base/proc.h"
#include "cache/archive.h"
#include "cache/keyscan.h"
#include "cache/quota.h"
#include "cache/shelf.h"
#include "cache/store.h"

#include <fcntl.h>

static struct str
key_of(struct scratch *s, int i)
{
	return str_fmt(&s->a, "lanewise-key 1\nnode bench 2\nparam point P%d\n", i);
}

static void
put(struct scratch *s, const char *root, int i, size_t bytes)
{
	char *text = arena_alloc(&s->a, bytes + 1);
	memset(text, 'a' + i % 26, bytes);
	struct store_part p = {STR_LIT("out"), {text, bytes}};
	store_put(&s->a, root, key_of(s, i), &p, 1);
}

static bool
has(struct scratch *s, const char *root, int i)
{
	struct store_part *p;
	size_t n;
	return store_get(&s->a, root, key_of(s, i), &p, &n);
}

static struct quota
looked(struct scratch *s, const char *root)
{
	struct shelf all = shelf_read(&s->a, root, SHELF_ALL);
	struct quota q = {.entries = all.n};
	for (size_t i = 0; i < all.n; i++)
		q.bytes += all.v[i].bytes;
	return q;
}

static void
assert_counted(struct scratch *s, const char *root)
{
	struct quota is = looked(s, root), counted = quota_counted(root);
	assert_int_equal(counted.entries, is.entries);
	assert_int_equal(counted.bytes, is.bytes);
}

static void
sizes_are_read(void **state)
{
	(void)state;
	uint64_t n;
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {{"0", 0}, {"100", 100}, {"1k", 1024}, {"1.5G", 1610612736},
		{"2M\n", 2097152}, {"1T", (uint64_t)1 << 40}};
	static const char *const bad[] = {"", "k", "-1", "1 k", "1e99", "5GB", "x"};
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		assert_true(quota_parse(str_of(good[i].text), &n));
		assert_int_equal(n, good[i].bytes);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (quota_parse(str_of(bad[i]), &n))
			fail_msg("'%s' was taken for a size", bad[i]);
}

static void
counts_follow_what_is_there(void **state)
{
	struct scratch *s = *state;
	for (int i = 0; i < 200; i++)
		put(s, "c", i, (size_t)i);
	assert_int_equal(quota_counted("c").entries, 200);
	assert_counted(s, "c");
	for (int i = 0; i < 200; i += 3)
		put(s, "c", i, 500); /* replaces */
	assert_counted(s, "c");
}

static void
a_damaged_count_is_counted_anew(void **state)
{
	struct scratch *s = *state;
	static const char *const texts[] = {"", "1", "x y\n", "12 -5\n", "1 2"};
	for (int i = 0; i < 40; i++)
		put(s, "c", i, 100);
	for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
		for (int g = 0; g < SHELF_GROUPS; g++)
			fs_write(str_fmt(&s->a, "c/count/%x", (unsigned)g).s,
				str_of(texts[t]), NULL);
		int from = 100 + 100 * (int)t;
		for (int i = from; i < from + 100; i++)
			put(s, "c", i, 10);
		assert_counted(s, "c");
	}
}

/* Sixty-four kilobytes in all, so four a group: what is used stays. */
static void
what_was_used_longest_ago_leaves(void **state)
{
	struct scratch *s = *state;
	fs_write("c/limit", STR_LIT("160k\n"), NULL);
	put(s, "c", 0, 1000);
	for (int i = 1; i < 2000; i++) {
		put(s, "c", i, 1000);
		assert_true(has(s, "c", 0));
	}
	assert_true(has(s, "c", 1999));
	assert_false(has(s, "c", 1));
	struct quota is = looked(s, "c");
	assert_true(is.bytes <= 160 * 1024);
	assert_true(is.bytes > 160 * 1024 / 2);
	assert_counted(s, "c");
	put(s, "c", 5000, 11000); /* more than a group may have */
	assert_false(has(s, "c", 5000));
}

static void
pruning_keeps_what_was_used_last(void **state)
{
	struct scratch *s = *state;
	struct timespec old[2] = {{1000, 0}, {1000, 0}};
	for (int i = 0; i < 100; i++)
		put(s, "c", i, 1000);
	struct shelf all = shelf_read(&s->a, "c", SHELF_ALL);
	const char *hex = all.v[0].hex;
	/* A file's clock has ticks, and all this is within one. */
	for (size_t i = 0; i < all.n; i++)
		utimensat(AT_FDCWD, store_path(&s->a, "c", all.v[i].hex), old, 0);
	const char *stray = str_fmt(&s->a, "c/%.2s/%s.1f.tmp", hex, hex).s;
	const char *young = str_fmt(&s->a, "c/%.2s/%s.2f.tmp", hex, hex).s;
	const char *foreign = str_fmt(&s->a, "c/%.2s/README", hex).s;
	fs_write(stray, STR_LIT("half"), NULL);
	fs_write(young, STR_LIT("half"), NULL);
	fs_write(foreign, STR_LIT("mine"), NULL);
	assert_int_equal(utimensat(AT_FDCWD, stray, old, 0), 0);
	for (int i = 0; i < 10; i++)
		assert_true(has(s, "c", i));
	struct quota left, gone = quota_prune("c", 15000, &left);
	assert_int_equal(gone.entries + left.entries, 100);
	assert_true(left.bytes <= 15000 && left.bytes > 13000);
	for (int i = 0; i < 10; i++)
		assert_true(has(s, "c", i));
	assert_counted(s, "c");
	assert_false(fs_exists(stray));
	assert_true(fs_exists(young)); /* its writer may be at work */
	assert_true(fs_exists(foreign));
	quota_prune("c", 0, &left);
	assert_int_equal(left.entries, 0);
	assert_counted(s, "c");
}

static void
writers_at_once_count_right(void **state)
{
	struct scratch *s = *state;
	pid_t pid[4];
	for (int w = 0; w < 4; w++) {
		fflush(NULL);
		pid[w] = fork();
		if (pid[w])
			continue;
		proc_die_with_parent();
		for (int i = 0; i < 150; i++)
			put(s, "c", w * 100 + i, 300); /* a third of them twice */
		_exit(0);
	}
	for (int w = 0; w < 4; w++) {
		int status;
		waitpid(pid[w], &status, 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(looked(s, "c").entries, 450);
	/* Two who store the same entry at the same moment may both count it: the next
	 * look puts it right, and until then it only seems fuller. */
	assert_true(quota_counted("c").entries >= 450);
	quota_prune("c", UINT64_MAX, NULL);
	assert_counted(s, "c");
}

static void
an_archive_carries_all(void **state)
{
	struct scratch *s = *state;
	struct quota out, in;
	struct str why;
	size_t damaged;
	for (int i = 0; i < 20; i++)
		put(s, "c", i, (size_t)i * 50);
	assert_true(archive_export(&s->a, "c", "x", &out, &damaged, &why));
	assert_int_equal(out.entries, 20);
	assert_int_equal(damaged, 0);
	assert_true(archive_import(&s->a, "d", "x", &in, &why));
	assert_int_equal(in.entries, 20);
	for (int i = 0; i < 20; i++)
		assert_true(has(s, "d", i));
	assert_counted(s, "d");
	assert_true(archive_import(&s->a, "d", "x", &in, &why));
	assert_int_equal(in.entries, 0);
	/* A damaged entry does not travel, and one that is here damaged is mended. */
	const char *hex = shelf_read(&s->a, "c", SHELF_ALL).v[3].hex;
	fs_write(store_path(&s->a, "c", hex), STR_LIT("lanewise-entry 2"), NULL);
	fs_write(store_path(&s->a, "d", hex), STR_LIT("lanewise-entry 2"), NULL);
	assert_true(archive_import(&s->a, "d", "x", &in, &why));
	assert_int_equal(in.entries, 1);
	assert_true(archive_export(&s->a, "c", "y", &out, &damaged, &why));
	assert_int_equal(out.entries, 19);
	assert_int_equal(damaged, 1);
}

/* Every byte of an archive changed, every length cut: nothing comes in. */
static void
a_damaged_archive_brings_nothing(void **state)
{
	struct scratch *s = *state;
	struct quota out, in;
	struct str why;
	size_t damaged;
	put(s, "c", 0, 10);
	put(s, "c", 1, 10);
	assert_true(archive_export(&s->a, "c", "x", &out, &damaged, &why));
	char *bytes = str_c(&s->a, fs_read(&s->a, "x"));
	size_t n = strlen(bytes);
	for (size_t i = 0; i < n; i++) {
		struct arena_mark m = arena_mark(&s->a);
		bytes[i] ^= 1;
		fs_write("y", (struct str){bytes, n}, NULL);
		bytes[i] ^= 1;
		if (archive_import(&s->a, "d", "y", &in, &why))
			fail_msg("byte %zu", i);
		fs_write("y", (struct str){bytes, i}, NULL);
		if (archive_import(&s->a, "d", "y", &in, &why))
			fail_msg("cut at %zu", i);
		arena_pop(&s->a, m);
	}
	assert_false(fs_exists("d"));
	assert_false(archive_import(&s->a, "d", "nowhere", &in, &why));
	assert_contains(why.s, "cannot read 'nowhere'");
}

/* The frame is right, an entry in it is not. */
static void
a_hostile_archive_brings_nothing(void **state)
{
	struct scratch *s = *state;
	struct store_part p = {STR_LIT("out"), STR_LIT("x")};
	struct str good = store_entry_text(&s->a, key_of(s, 1), &p, 1), why;
	struct str bad[] = {STR_LIT("entry 5\n../.."), STR_LIT("entry -1\n"),
		STR_LIT("entry 18446744073709551615\n"), STR_LIT("entry 0\n"),
		STR_LIT("../../etc/passwd 3\nabc")};
	struct quota in;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct str body = str_fmt(&s->a, "entry %zu\n%.*s%.*s", good.n,
			STR_ARG(good), STR_ARG(bad[i]));
		fs_write("x",
			str_fmt(&s->a, "lanewise-archive 1 xxh128:%s\n%.*s",
				hash_short(&s->a, body, HASH_HEX), STR_ARG(body)),
			NULL);
		if (archive_import(&s->a, "d", "x", &in, &why))
			fail_msg("archive %zu", i);
	}
	assert_false(fs_exists("d"));
}

static void
import_on_a_full_disk(void *arg)
{
	struct scratch *s = arg;
	struct quota in;
	struct str why;
	scratch_limit_files(1000);
	bool ok = archive_import(&s->a, "d", "x", &in, &why);
	fprintf(stderr, "%.*s", STR_ARG(why));
	_exit(ok ? 1 : 0);
}

static void
half_an_import_is_taken_back(void **state)
{
	struct scratch *s = *state;
	struct quota out;
	struct str why;
	size_t damaged;
	for (int i = 0; i < 30; i++)
		put(s, "c", i, i == 17 ? 5000 : 10);
	assert_true(archive_export(&s->a, "c", "x", &out, &damaged, &why));
	put(s, "d", 3, 10); /* was here before, and stays */
	struct ended e = scratch_run(s, import_on_a_full_disk, s);
	assert_int_equal(e.status, 0);
	assert_contains(e.err, "nothing was taken over");
	assert_int_equal(looked(s, "d").entries, 1);
	assert_true(has(s, "d", 3));
	assert_counted(s, "d");
}

static void
the_nearest_key_explains_a_miss(void **state)
{
	struct scratch *s = *state;
	static const char *const keys[] = {
		"lanewise-key 1\nnode lower 3\ninput source xxh128:1\nparam d A=1\nparam "
		"cc 90\n",
		"lanewise-key 1\nnode lower 3\ninput source xxh128:1\nparam d A=2\nparam "
		"d B=7\nparam cc 80\n",
		"lanewise-key 1\nnode gate 3\ninput source xxh128:1\nparam d A=3\nparam "
		"cc 90\n",
	};
	struct str found, key = STR_LIT("lanewise-key 1\nnode lower 3\ninput source "
					"xxh128:1\nparam d A=3\nparam cc 90\n");
	struct shelf_entry e;
	assert_false(keyscan_nearest(&s->a, "c", key, &e, &found));
	for (size_t i = 0; i < 3; i++)
		store_put(&s->a, "c", str_of(keys[i]), NULL, 0);
	store_put(&s->a, "c", key, NULL, 0); /* itself is no explanation */
	assert_true(keyscan_nearest(&s->a, "c", key, &e, &found));
	assert_string_equal(str_c(&s->a, found), keys[0]);
	assert_string_equal(str_c(&s->a, keyscan_diff(&s->a, found, key)),
		"  lanewise-key 1\n  node lower 3\n  input source xxh128:1\n"
		"- param d A=1\n+ param d A=3\n  param cc 90\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(sizes_are_read),
		scratch_test(counts_follow_what_is_there),
		scratch_test(a_damaged_count_is_counted_anew),
		scratch_test(what_was_used_longest_ago_leaves),
		scratch_test(pruning_keeps_what_was_used_last),
		scratch_test(writers_at_once_count_right),
		scratch_test(an_archive_carries_all),
		scratch_test(a_damaged_archive_brings_nothing),
		scratch_test(a_hostile_archive_brings_nothing),
		scratch_test(half_an_import_is_taken_back),
		scratch_test(the_nearest_key_explains_a_miss),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
