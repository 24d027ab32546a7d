/*
 * A growing byte buffer in an arena; the one way to build text.
 * `struct buf b = {.a = arena}` is ready.  b.s is NUL-terminated once anything
 * was added (buf_c() always is).
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/str.h"

#include <stdarg.h>

struct buf {
	struct arena *a;
	char *s;
	size_t n;   /* bytes used, without the NUL */
	size_t cap; /* bytes allocated */
};

void buf_add(struct buf *b, const void *p, size_t n);
void buf_addc(struct buf *b, char c);
void buf_adds(struct buf *b, const char *c);
void buf_addstr(struct buf *b, struct str s);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* `n` copies of c. */
void buf_pad(struct buf *b, char c, size_t n);
struct str buf_str(const struct buf *b);
/* A buffer that holds s without a copy of it, until it grows. */
struct buf buf_of(struct arena *a, struct str s);
const char *buf_c(struct buf *b);

#endif
