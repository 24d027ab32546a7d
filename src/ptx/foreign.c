#include "ptx/foreign.h"

static bool
is_empty(struct str text)
{
	return str_trim(str_after_bom(text)).n == 0;
}

/* Lines that end as on old Macintoshes would all be one, and the first comment in it the
 * last that is read. */
static bool
ends_lines_in_cr(struct str text)
{
	return text.n && !memchr(text.s, '\n', text.n) && memchr(text.s, '\r', text.n);
}

/* PTX begins with a character below 128: one byte of the first two is 0. */
static bool
is_utf16(struct str text)
{
	return str_starts(text, "\xff\xfe") || str_starts(text, "\xfe\xff") ||
	       (text.n > 1 && !text.s[0] != !text.s[1]);
}

const char *
foreign_text(struct str text)
{
	static const struct {
		const char *begins;
		size_t n;
		const char *is;
	} kinds[] = {
		{"\177ELF", 4,
			"it is an ELF file (a cubin?); 'cuobjdump -ptx' takes PTX out of "
			"one that holds it"},
		{"\x50\xed\x55\xba", 4,
			"it is a fatbin; 'cuobjdump -ptx' takes PTX out of it"},
		{"\x1f\x8b", 2, "it is a gzip file; decompress it first"},
		{"BC\xc0\xde", 4,
			"it is LLVM bitcode; compile it to PTX first (llc "
			"-march=nvptx64)"},
		{"; ModuleID", 10,
			"it is LLVM IR; compile it to PTX first (llc -march=nvptx64)"},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (text.n >= kinds[i].n &&
			memcmp(text.s, kinds[i].begins, kinds[i].n) == 0)
			return kinds[i].is;
	if (is_empty(text))
		return "it is empty";
	if (is_utf16(text))
		return "it is UTF-16; PTX is ASCII: 'iconv -f UTF-16 -t ASCII' converts "
		       "it";
	if (ends_lines_in_cr(text))
		return "its lines end in a carriage return alone; 'tr \"\\r\" \"\\n\"' "
		       "converts them";
	return NULL;
}
