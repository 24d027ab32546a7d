#include "base/tty.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool
tty_is(int fd)
{
	const char *term = getenv("TERM");
	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

int
tty_width(int fd)
{
	struct winsize w = {0};
	if (ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		return w.ws_col;
	return 80;
}
