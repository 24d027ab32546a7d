#include "search/csv.h"

void
csv_cell(struct buf *b, struct str s)
{
	bool plain = true;
	for (size_t i = 0; i < s.n; i++)
		plain = plain && !strchr("\",\r\n", s.s[i]);
	if (plain) {
		buf_addstr(b, s);
		return;
	}
	buf_addc(b, '"');
	for (size_t i = 0; i < s.n; i++)
		buf_adds(b, s.s[i] == '"' ? "\"\"" : (char[2]){s.s[i], '\0'});
	buf_addc(b, '"');
}
