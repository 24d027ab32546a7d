/* Wisdom written by hand: entries as JSON with some members replaced. */
#ifndef TESTS_UNIT_WISDOM_TEXT_H
#define TESTS_UNIT_WISDOM_TEXT_H

#include "scratch.h"

#include "apply/wisdom.h"

/* One entry's members; an empty one: the usual. */
struct entry_text {
	const char *kernel, *size, *values, *device, *cc, *spec, *sources, *assignment;
	const char *launch, *verdict, *kind, *claim, *ns, *date, *label;
};

static inline const char *
entry_or(const char *v, const char *usual)
{
	return v ? v : usual;
}

/* Strings are given without quotes, objects and numbers as they are. */
static inline struct str
entry_json(struct arena *a, const struct entry_text *e)
{
	return str_fmt(a,
		"{\"kernel\": \"%s\", \"size\": \"%s\", \"values\": %s,\n"
		"\"device\": {\"name\": \"%s\", \"cc\": \"%s\", \"uuid\": \"\", "
		"\"driver\": \"\"},\n"
		"\"spec\": \"%s\", \"sources\": %s, \"toolchain\": \"nvrtc 13.0\", "
		"\"assembler\": \"ptxas 13.0\", \"backend\": \"cuda\",\n"
		"\"candidate\": \"c\", \"label\": \"%s\", \"id\": \"i\", "
		"\"assignment\": %s,\n"
		"\"launch\": %s, \"verdict\": \"%s\",\n"
		"\"kind\": \"%s\", \"claim\": \"%s\", \"claim_why\": \"\", "
		"\"median_ns\": %s, \"low_ns\": null, \"high_ns\": null,\n"
		"\"verified\": true, \"verified_by\": \"oracle\", \"speedup\": null, "
		"\"speedup_low\": null, \"speedup_high\": null, \"faster\": false,\n"
		"\"date\": \"%s\"}",
		entry_or(e->kernel, "k"), entry_or(e->size, "1M"),
		entry_or(e->values, "{\"n\": 1048576}"),
		entry_or(e->device, "NVIDIA H200"), entry_or(e->cc, "9.0"),
		entry_or(e->spec, "aa"), entry_or(e->sources, "{\"k.cu\": \"bb\"}"),
		entry_or(e->label, "BLOCK=32"),
		entry_or(e->assignment, "{\"BLOCK\": 32}"),
		entry_or(e->launch,
			"{\"block\": [32, 1, 1], \"grid\": [64, 1, 1], \"cluster\": [1, "
			"1, 1], \"shared_bytes\": 0, \"cooperative\": false, "
			"\"programmatic\": false}"),
		entry_or(e->verdict, "clean"), entry_or(e->kind, "measured"),
		entry_or(e->claim, "proven"), entry_or(e->ns, "1000"),
		entry_or(e->date, "2026-01-31T23:59:59Z"));
}

static inline struct str
wisdom_json(struct arena *a, const struct entry_text *v, size_t n)
{
	struct buf b = {.a = a};

	buf_adds(&b, "{\"schema\": \"lanewise/wisdom.v1\", \"entries\": [\n");
	for (size_t i = 0; i < n; i++) {
		buf_addstr(&b, entry_json(a, &v[i]));
		buf_adds(&b, i + 1 < n ? ",\n" : "\n");
	}
	buf_adds(&b, "]}\n");
	return buf_str(&b);
}

/* What a file of these entries is read as. */
static inline struct wisdom
wisdom_of(struct arena *a, const struct entry_text *v, size_t n)
{
	struct wisdom w = {.a = a};
	struct diag d = {0};

	fs_write("w.json", wisdom_json(a, v, n), NULL);
	assert_true(wisdom_read(&w, "w.json", &d));
	return w;
}

#endif
