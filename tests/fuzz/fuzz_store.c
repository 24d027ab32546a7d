/*
 * Any bytes as an entry of the cache, as they are and under a right hash (which a fuzzer
 * would never find).  What is taken for an entry lies inside the bytes and survives being
 * written.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "cache/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct str key = {"KEY", 3};

static void
check(struct arena *a, struct str text)
{
	struct store_part *parts, *again;
	size_t n, m;
	if (!store_entry_parse(a, text, key, &parts, &n))
		return;
	for (size_t i = 0; i < n; i++)
		if (parts[i].bytes.n &&
			(parts[i].bytes.s < text.s ||
				parts[i].bytes.s + parts[i].bytes.n > text.s + text.n))
			abort();
	struct str written = store_entry_text(a, key, parts, n);
	if (!store_entry_parse(a, written, key, &again, &m) || m != n)
		abort();
	for (size_t i = 0; i < n; i++)
		if (!str_eq(parts[i].name, again[i].name) ||
			!str_eq(parts[i].bytes, again[i].bytes))
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a = {0};
	struct str raw = {(const char *)data, n};
	check(&a, raw);
	struct str head = str_fmt(
		&a, "lanewise-entry 2 xxh128:%s\n", hash_short(&a, raw, HASH_HEX));
	char *framed = arena_alloc(&a, head.n + n);
	memcpy(framed, head.s, head.n);
	if (n)
		memcpy(framed + head.n, data, n);
	check(&a, (struct str){framed, head.n + n});
	arena_release(&a);
	return 0;
}
