#include "backend/ref.h"

#include "base/arena.h"
#include "format/json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCHEMA "lanewise/ref.v1"

enum { ALIGN = 64, WIDE = 8, HEADER_MAX = 1 << 20 };

uint64_t
ref_data_bytes(const struct arg *args, size_t n)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < n; i++) {
		if (args[i].output)
			bytes += WIDE * args[i].count;
	}
	return bytes;
}

static struct str
header(struct arena *a, const char *by, const char *failed, const struct arg *args,
	size_t n)
{
	struct json_out o = {.b = {.a = a}, .compact = true};
	json_open_object(&o, NULL);
	json_put_c(&o, "schema", SCHEMA);
	json_put_c(&o, "by", by);
	json_put_c(&o, "failed", failed);
	json_open_array(&o, "outputs", false);
	for (size_t i = 0; i < n; i++) {
		if (!args[i].output)
			continue;
		json_open_object(&o, NULL);
		json_put_str(&o, "name", args[i].name);
		json_put_c(&o, "type", dtype_name(args[i].type));
		json_put_i64(&o, "count", (int64_t)args[i].count);
		json_put_c(&o, "store", dtype_is_float(args[i].type) ? "f64" : "i64");
		json_close_object(&o);
	}
	json_close_array(&o);
	json_close_object(&o);
	struct buf b = {.a = a};
	buf_addstr(&b, str_trim(json_done(&o)));
	buf_pad(&b, ' ', (ALIGN - (b.n + 1) % ALIGN) % ALIGN);
	buf_addc(&b, '\n');
	return buf_str(&b);
}

struct str
ref_header(struct arena *a, const char *by, const struct arg *args, size_t n)
{
	return header(a, by, NULL, args, n);
}

struct str
ref_failure(struct arena *a, const char *by, struct str reason)
{
	return header(a, by, str_c(a, reason.n ? reason : STR_LIT("no reason")), NULL, 0);
}

static bool
fail(struct arena *a, struct str *why, const char *path, const char *what)
{
	*why = str_fmt(a, "reference '%s': %s", path, what);
	return false;
}

static bool
map_file(struct arena *a, const char *path, struct str *out, struct str *why)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return fail(a, why, path, strerror(errno));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < ALIGN) {
		close(fd);
		return fail(a, why, path, "too short to be one");
	}
	out->n = (size_t)st.st_size;
	out->s = mmap(NULL, out->n, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return out->s != MAP_FAILED || fail(a, why, path, strerror(errno));
}

/* A damaged header is a reason in a result, not the user's mistake: print nothing. */
static const struct json *
parse_header(struct arena *a, const char *path, struct str text)
{
	FILE *nowhere = fopen("/dev/null", "we");
	struct diag d = {.to = nowhere};
	struct source *src = arena_new(a, struct source);
	*src = (struct source){path, text};
	const struct json *head = nowhere ? json_parse(a, src, &d) : NULL;
	if (nowhere)
		fclose(nowhere);
	return head;
}

/* The outputs that the header names are those of the arguments, in the same order. */
static bool
names_match(const struct json *outputs, const struct arg *args, size_t n)
{
	const struct json *v = outputs ? outputs->child : NULL;
	for (size_t i = 0; i < n; i++) {
		if (!args[i].output)
			continue;
		if (!v || !str_eq(json_get_str(v, "name"), args[i].name) ||
			!str_is(json_get_str(v, "type"), dtype_name(args[i].type)) ||
			json_get_i64(v, "count", -1) != (int64_t)args[i].count)
			return false;
		v = v->next;
	}
	return !v;
}

static void
slice(struct arena *a, struct ref *out, const char *data, const struct arg *args,
	size_t n)
{
	out->v = arena_news(a, n ? n : 1, struct ref_output);
	for (size_t i = 0; i < n; i++) {
		if (!args[i].output)
			continue;
		out->v[out->n++] =
			(struct ref_output){args[i].name, args[i].type, args[i].count,
				data, args[i].tolerated ? &args[i].tolerance : NULL};
		data += WIDE * args[i].count;
	}
}

bool
ref_open(struct arena *a, const char *path, const struct arg *args, size_t n,
	struct ref *out, struct str *why)
{
	struct str file;
	*out = (struct ref){0};
	if (!map_file(a, path, &file, why))
		return false;
	out->mapped = file.s;
	out->mapped_bytes = file.n;
	size_t line = str_find(str_sub(file, 0, HEADER_MAX), '\n');
	if (line >= file.n || (line + 1) % ALIGN)
		return fail(a, why, path, "no header");
	const struct json *head = parse_header(a, path, str_sub(file, 0, line));
	if (!head || !str_is(json_get_str(head, "schema"), SCHEMA))
		return fail(a, why, path, "not a " SCHEMA);
	out->by = json_get_str(head, "by");
	out->failed = json_get_str(head, "failed");
	if (out->failed.n)
		return true;
	if (!names_match(json_get(head, "outputs"), args, n))
		return fail(a, why, path, "made for other arguments");
	if (file.n - line - 1 != ref_data_bytes(args, n))
		return fail(a, why, path, "not as long as its header says");
	slice(a, out, file.s + line + 1, args, n);
	return true;
}

void
ref_close(struct ref *r)
{
	if (r->mapped)
		munmap((void *)(uintptr_t)r->mapped, r->mapped_bytes);
	*r = (struct ref){0};
}

void
ref_widen(enum dtype t, const void *from, uint64_t n, void *to)
{
	const unsigned char *p = from;
	size_t bytes = dtype_bytes(t);
	if (dtype_is_float(t)) {
		dtype_decode_all(t, from, n, to);
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		int64_t wide = dtype_decode_i64(t, p + bytes * i);
		memcpy((unsigned char *)to + WIDE * i, &wide, WIDE);
	}
}
