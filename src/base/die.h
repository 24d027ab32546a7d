/*
 * The two errors that do not return.  die(): the world refuses (no file, no tool,
 * no memory); exit 2, safe because outputs are renamed into place.  BUG(): we are
 * wrong; abort.  The user's text being wrong is diag.h's business.  Shown on stderr as
 * "lanewise: error: MESSAGE", a warning as "lanewise: warning: MESSAGE".
 * Messages: lower case, no full stop, the subject in single quotes.
 */
#ifndef BASE_DIE_H
#define BASE_DIE_H

#include <stdarg.h>
#include <stdio.h>

#define PRINTF(f, v) __attribute__((format(printf, f, v)))
#define NORETURN     __attribute__((noreturn))

/* Exit statuses of every command (docs/reference/exit-status.md). */
enum { EXIT_YES = 0, EXIT_NO = 1, EXIT_TROUBLE = 2, EXIT_UNSURE = 3 };

/* As vfprintf(), for one line that quotes foreign text: see base/shown.h.  Of more than
 * MESSAGE_MAX bytes the middle is left out ("...").  What a compiler says in several
 * lines is no message: shown_print_lines() it before. */
enum { MESSAGE_MAX = 2000 };
void message_print(FILE *to, const char *fmt, va_list ap) PRINTF(2, 0);

void die(const char *fmt, ...) PRINTF(1, 2) NORETURN;
void warn(const char *fmt, ...) PRINTF(1, 2);

#define BUG(...) die_bug(__FILE__, __LINE__, __VA_ARGS__)
void die_bug(const char *file, int line, const char *fmt, ...) PRINTF(3, 4) NORETURN;

#endif
