#include "base/buf.h"

#include "base/arena.h"
#include "base/die.h"

#include <stdint.h>
#include <stdio.h>

static void
reserve(struct buf *b, size_t more)
{
	if (b->n + more < b->cap)
		return;
	size_t cap = b->cap ? b->cap : 128;
	while (cap <= b->n + more)
		cap *= 2;
	char *p = arena_raw(b->a, cap, 1);
	if (b->n)
		memcpy(p, b->s, b->n);
	b->s = p;
	b->cap = cap;
}

void
buf_add(struct buf *b, const void *p, size_t n)
{
	reserve(b, n);
	if (n)
		memcpy(b->s + b->n, p, n);
	b->n += n;
	b->s[b->n] = 0;
}

void
buf_addc(struct buf *b, char c)
{
	reserve(b, 1);
	b->s[b->n++] = c;
	b->s[b->n] = 0;
}

void
buf_adds(struct buf *b, const char *c)
{
	buf_add(b, c, strlen(c));
}

void
buf_addstr(struct buf *b, struct str s)
{
	buf_add(b, s.s, s.n);
}

void
buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	enum { LIKELY = 40 };
	va_list again;
	va_copy(again, ap);
	reserve(b, LIKELY);
	int n = vsnprintf(b->s + b->n, b->cap - b->n, fmt, ap);
	if (n < 0)
		BUG("cannot format '%s'", fmt);
	if ((size_t)n >= b->cap - b->n) {
		b->s[b->n] = 0; /* an argument may end there */
		reserve(b, (size_t)n + 1);
		vsnprintf(b->s + b->n, (size_t)n + 1, fmt, again);
	}
	b->n += (size_t)n;
	va_end(again);
}

void
buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	buf_vaddf(b, fmt, ap);
	va_end(ap);
}

void
buf_pad(struct buf *b, char c, size_t n)
{
	reserve(b, n);
	memset(b->s + b->n, c, n);
	b->n += n;
	b->s[b->n] = 0;
}

struct str
buf_str(const struct buf *b)
{
	return (struct str){b->s, b->n};
}

struct buf
buf_of(struct arena *a, struct str s)
{
	/* Without room, nothing is written where s is. */
	return (struct buf){.a = a, .s = (char *)(uintptr_t)s.s, .n = s.n};
}

const char *
buf_c(struct buf *b)
{
	reserve(b, 1);
	b->s[b->n] = 0;
	return b->s;
}
