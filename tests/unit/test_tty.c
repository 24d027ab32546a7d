#include "captured.h"

#include "base/tty.h"

#include <fcntl.h>
#include <sys/ioctl.h>

/* A terminal of its own; -1 where there are none. */
static int
terminal(unsigned short columns)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		return -1;
	int fd = open(ptsname(master), O_RDWR | O_NOCTTY);
	struct winsize w = {.ws_row = 24, .ws_col = columns};
	return fd >= 0 && ioctl(fd, TIOCSWINSZ, &w) == 0 ? fd : -1;
}

static void
no_terminal(void)
{
	print_message("skipped: no pseudo-terminals here\n");
	skip();
}

static void
the_width_is_the_terminals(void **state)
{
	int narrow = terminal(20), wide = terminal(200), none = terminal(0);
	if (narrow < 0)
		no_terminal();
	assert_int_equal(tty_width(narrow), 20);
	assert_int_equal(tty_width(wide), 200);
	assert_int_equal(tty_width(none), 80); /* it does not say */
}

static void
a_terminal_without_a_name_is_not_drawn_on(void **state)
{
	int fd = terminal(80);
	if (fd < 0)
		no_terminal();
	setenv("TERM", "xterm", 1);
	assert_true(tty_is(fd));
	setenv("TERM", "", 1);
	assert_false(tty_is(fd));
	setenv("TERM", "dumb", 1);
	assert_false(tty_is(fd));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(the_width_is_the_terminals),
		captured_test(a_terminal_without_a_name_is_not_drawn_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
