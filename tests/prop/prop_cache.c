/*
 * A store whose files are damaged at random, between and during its use: bits flipped,
 * files cut, grown, swapped, removed, replaced by folders and links, counters and limits
 * included.  What it gives back is what was put under that key, or nothing.
 */
#include "base/arena.h"
#include "base/fs.h"
#include "base/rng.h"
#include "cache/quota.h"
#include "cache/shelf.h"
#include "cache/store.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROUNDS = 1500, KEYS = 24 };

static struct str
key_of(struct arena *a, uint64_t k)
{
	return str_fmt(a, "lanewise-key 1\nnode bench 2\nparam point %llu\n",
		(unsigned long long)k);
}

/* The bytes follow from the key, so that a wrong answer shows. */
static struct str
bytes_of(struct arena *a, uint64_t k)
{
	size_t n = 1 + (size_t)k * 37;
	char *s = arena_alloc(a, n);
	for (size_t i = 0; i < n; i++)
		s[i] = (char)(k * 31 + i * i);
	return (struct str){s, n};
}

static void
put(struct arena *a, uint64_t k)
{
	struct store_part p[2] = {
		{STR_LIT("out"), bytes_of(a, k)}, {STR_LIT("status"), STR_LIT("ok")}};
	store_put(a, "c", key_of(a, k), p, 2);
}

/* True on a hit. */
static bool
get(struct arena *a, uint64_t k, uint64_t seed)
{
	struct store_part *p;
	size_t n;
	if (!store_get(a, "c", key_of(a, k), &p, &n))
		return false;
	if (n != 2 || !str_eq(p[0].bytes, bytes_of(a, k)) || !str_is(p[1].bytes, "ok"))
		fail_msg("seed %llu: a wrong answer for key %llu",
			(unsigned long long)seed, (unsigned long long)k);
	return true;
}

static void
overwrite(const char *path, struct str bytes)
{
	FILE *f = fopen(path, "we");
	if (!f)
		return;
	fwrite(bytes.s, 1, bytes.n, f);
	fclose(f);
}

static const char *
any_file(struct arena *a, struct rng *r)
{
	if (rng_below(r, 4) == 0)
		return str_fmt(a, "c/count/%x", (unsigned)rng_below(r, 16)).s;
	struct shelf s = shelf_read(a, "c", SHELF_ALL);
	return s.n ? store_path(a, "c", s.v[rng_below(r, s.n)].hex) : "c/limit";
}

static void
flip(struct str text, struct rng *r, char *bytes)
{
	memcpy(bytes, text.s, text.n);
	for (uint64_t i = 0, n = 1 + rng_below(r, 3); text.n && i < n; i++)
		bytes[rng_below(r, text.n)] ^= (char)(1 << rng_below(r, 8));
}

static void
damage(struct arena *a, struct rng *r)
{
	const char *path = any_file(a, r), *other = any_file(a, r);
	struct str text = {0};
	if (!fs_is_file(path) || !fs_try_read(a, path, &text))
		return;
	char *bytes = arena_alloc(a, text.n + 1);
	switch (rng_below(r, 8)) {
	case 0:
	case 1:
	case 2: /* a flip may give the very bytes again: two of one bit */
		flip(text, r, bytes);
		overwrite(path, (struct str){bytes, text.n});
		break;
	case 3: overwrite(path, str_sub(text, 0, rng_below(r, text.n + 1))); break;
	case 4: overwrite(path, str_fmt(a, "%.*s0", STR_ARG(text))); break;
	case 5:
		if (fs_is_file(other))
			(void)rename(other, path);
		break;
	case 6: (void)unlink(path); break;
	default:
		(void)unlink(path);
		(void)(rng_below(r, 2) ? mkdir(path, 0777) : symlink("/dev/zero", path));
	}
}

static int
forget(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static void
a_damaged_store_never_lies(void **state)
{
	(void)state;
	const char *given = getenv("PROP_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 20;
	struct rng r = {seed};
	printf("PROP_SEED=%llu\n", (unsigned long long)seed);
	unsigned hits = 0, misses = 0;
	char dir[] = "/tmp/lanewise-prop-XXXXXX";
	assert_true(mkdtemp(dir) && chdir(dir) == 0);
	FILE *quiet = freopen("warnings", "w", stderr);
	assert_non_null(quiet);
	for (int round = 0; round < ROUNDS; round++) {
		struct arena a = {0};
		uint64_t k = rng_below(&r, KEYS);
		if (rng_below(&r, 3) == 0)
			damage(&a, &r);
		if (rng_below(&r, 500) == 0)
			nftw("c", forget, 8, FTW_DEPTH | FTW_PHYS);
		if (rng_below(&r, 100) == 0)
			quota_prune("c", 4000, NULL);
		if (get(&a, k, seed))
			hits++;
		else
			misses++, put(&a, k);
		arena_release(&a);
	}
	assert_true(hits > ROUNDS / 10 && misses > ROUNDS / 10);
	assert_true(chdir("/") == 0);
	nftw(dir, forget, 8, FTW_DEPTH | FTW_PHYS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_damaged_store_never_lies)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
