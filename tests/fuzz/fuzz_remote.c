/*
 * Any bytes as what a remote cache answers: an action result of the Bazel layout, and an
 * entry that nobody knows the key of.  A digest that is taken is one, and survives being
 * written; the key of an entry lies inside the bytes.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "cache/action_result.h"
#include "cache/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
check_action(struct arena *a, struct str message)
{
	static const char digits[] = "0123456789abcdef";
	struct action_result r, again;
	if (!action_result_read(message, &r))
		return;
	if (strspn(r.digest, digits) != SHA256_HEX || r.digest[SHA256_HEX])
		abort();
	if (!action_result_read(action_result_write(a, &r), &again) ||
		strcmp(r.digest, again.digest) != 0 || r.bytes != again.bytes)
		abort();
}

/* Under a right hash, too, which a fuzzer would never find. */
static void
check_entry(struct arena *a, struct str text)
{
	struct str key;
	struct buf b = {.a = a};
	buf_addf(&b, "lanewise-entry 2 xxh128:%s\n", hash_short(a, text, HASH_HEX));
	buf_addstr(&b, text);
	struct str framed = buf_str(&b);
	if (store_entry_key(a, text, &key) && key.n &&
		(key.s < text.s || key.s + key.n > text.s + text.n))
		abort();
	if (store_entry_key(a, framed, &key) && key.n &&
		(key.s < framed.s || key.s + key.n > framed.s + framed.n))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a = {0};
	struct str raw = {(const char *)data, n};
	check_action(&a, raw);
	check_entry(&a, raw);
	arena_release(&a);
	return 0;
}
