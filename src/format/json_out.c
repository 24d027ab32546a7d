#include "base/die.h"
#include "format/json.h"
#include "format/json_text.h"

#include <inttypes.h>
#include <math.h>

enum { LEVELS = 60 };

static bool
one_line(const struct json_out *o)
{
	return o->compact || (o->flat >> o->depth & 1);
}

static void
newline(struct json_out *o)
{
	buf_addc(&o->b, '\n');
	buf_pad(&o->b, ' ', (size_t)o->depth * 2);
}

/* How many bytes from i on stand for themselves. */
static size_t
plain(struct str s, size_t i)
{
	size_t from = i;
	for (; i < s.n; i++) {
		unsigned char c = (unsigned char)s.s[i];
		if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\')
			break;
	}
	return i - from;
}

static void
add_string(struct buf *b, struct str s)
{
	buf_addc(b, '"');
	for (size_t i = 0, n; i < s.n; i += n) {
		unsigned char c = (unsigned char)s.s[i];
		n = plain(s, i);
		if (n) {
			buf_add(b, s.s + i, n);
			continue;
		}
		n = str_utf8_length(str_sub(s, i, s.n));
		if (n == 0) {
			buf_adds(b, "\xef\xbf\xbd"); /* U+FFFD */
			n = 1;
		} else if (c == '"' || c == '\\') {
			buf_addc(b, '\\');
			buf_addc(b, (char)c);
		} else if (c == '\n') {
			buf_adds(b, "\\n");
		} else if (c == '\t') {
			buf_adds(b, "\\t");
		} else if (c < 0x20) {
			buf_addf(b, "\\u%04x", c);
		} else {
			buf_add(b, s.s + i, n);
		}
	}
	buf_addc(b, '"');
}

/* What stands before every value: the comma of the one before, the line, the key. */
static void
begin(struct json_out *o, const char *key)
{
	if (o->some)
		buf_adds(&o->b, one_line(o) ? ", " : ",");
	if (o->depth && !one_line(o))
		newline(o);
	o->some = true;
	if (!key)
		return;
	add_string(&o->b, str_of(key));
	buf_adds(&o->b, ": ");
}

static void
open_container(struct json_out *o, const char *key, char bracket, bool flat)
{
	begin(o, key);
	buf_addc(&o->b, bracket);
	flat = flat || one_line(o);
	if (++o->depth > LEVELS)
		BUG("JSON output nested over %d levels", LEVELS);
	o->flat = (o->flat & ~(1UL << o->depth)) | (unsigned long)flat << o->depth;
	o->some = false;
}

static void
close_container(struct json_out *o, char bracket)
{
	if (o->depth == 0)
		BUG("JSON output closes a container that is not open");
	bool flat = one_line(o);
	o->depth--;
	if (o->some && !flat)
		newline(o);
	buf_addc(&o->b, bracket);
	o->some = true;
}

void
json_open_object(struct json_out *o, const char *key)
{
	open_container(o, key, '{', false);
}

void
json_close_object(struct json_out *o)
{
	close_container(o, '}');
}

void
json_open_array(struct json_out *o, const char *key, bool flat)
{
	open_container(o, key, '[', flat);
}

void
json_close_array(struct json_out *o)
{
	close_container(o, ']');
}

void
json_put_str(struct json_out *o, const char *key, struct str v)
{
	begin(o, key);
	add_string(&o->b, v);
}

void
json_put_c(struct json_out *o, const char *key, const char *v)
{
	if (v)
		json_put_str(o, key, str_of(v));
	else
		json_put_null(o, key);
}

void
json_put_i64(struct json_out *o, const char *key, int64_t v)
{
	begin(o, key);
	buf_addf(&o->b, "%" PRId64, v);
}

/* A count or a size; more digits than these are written with an exponent. */
static bool
is_short_whole(double v)
{
	return v > -1e15 && v < 1e15 && v == (double)(int64_t)v &&
	       !(v == 0 && signbit(v));
}

/* The shortest text that reads back equal. */
static void
number_text(char text[40], double v)
{
	if (is_short_whole(v)) {
		snprintf(text, 40, "%" PRId64, (int64_t)v);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, 40, "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
}

static void
put_number(struct json_out *o, const char *key, double v, bool real)
{
	char text[40] = "null";
	if (isfinite(v))
		number_text(text, v);
	begin(o, key);
	buf_adds(&o->b, text);
	if (real && isfinite(v) && !strpbrk(text, ".e"))
		buf_adds(&o->b, ".0");
}

void
json_put_f64(struct json_out *o, const char *key, double v)
{
	put_number(o, key, v, false);
}

void
json_put_real(struct json_out *o, const char *key, double v)
{
	put_number(o, key, v, true);
}

void
json_put_bool(struct json_out *o, const char *key, bool v)
{
	begin(o, key);
	buf_adds(&o->b, v ? "true" : "false");
}

void
json_put_null(struct json_out *o, const char *key)
{
	begin(o, key);
	buf_adds(&o->b, "null");
}

struct str
json_done(struct json_out *o)
{
	if (o->depth)
		BUG("JSON output ends inside a container");
	buf_addc(&o->b, '\n');
	return buf_str(&o->b);
}
