#include "base/arena.h"
#include "model/spec_reader.h"

void
read_search(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	spec_read_object(r, WHERE_SEARCH, v, &k->search);
}

void
read_budget(struct spec_reader *r, const struct json *v, void *to)
{
	int64_t i;
	struct str text = v->string;
	if (v->kind == JSON_NUMBER)
		text = json_is_i64(v, &i) ? str_fmt(r->a, "%lld", (long long)i)
					  : (struct str){0};
	if (!budget_parse(text, to))
		diag_error(r->d, json_place(v),
			"'budget' is a number of candidates, 200, or a time, \"90s\", "
			"\"10m\", \"2h\", or one of the device, \"device:60s\"");
}

void
read_batch(struct spec_reader *r, const struct json *v, void *to)
{
	int64_t i = 0;
	if (!json_is_i64(v, &i) || i < 1 || i > SEARCH_BATCH_MAX)
		diag_error(r->d, json_place(v), "'batch' is a whole number from 1 to %d",
			SEARCH_BATCH_MAX);
	else
		*(uint64_t *)to = (uint64_t)i;
}
