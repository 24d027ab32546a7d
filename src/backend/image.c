#include "backend/image.h"

#include "base/buf.h"

/* ELF-64, little endian: System V gABI, chapter 4. */
enum {
	HEADER = 64,
	TYPE = 16,  /* e_type, then e_machine, 2 bytes each */
	ET_DYN = 3, /* a shared object */
	EM_CUDA = 190,
	SHOFF = 40,     /* e_shoff, 8 bytes */
	PHOFF = 32,     /* e_phoff, 8 bytes */
	PHENTSIZE = 54, /* then e_phnum, e_shentsize, e_shnum, 2 bytes each */
	SECTION = 64,   /* sizeof(Elf64_Shdr) */
	SEGMENT = 56,   /* sizeof(Elf64_Phdr) */
	SH_TYPE = 4,    /* 4 bytes */
	SH_OFFSET = 24, /* then sh_size, 8 bytes each */
	SHSTRNDX = 62,  /* e_shstrndx, 2 bytes */
	SHT_NOBITS = 8, /* takes no bytes of the file */
};

static uint64_t
number(struct str s, uint64_t at, size_t bytes)
{
	uint64_t v = 0;
	memcpy(&v, s.s + at, bytes);
	return v;
}

static bool
fits(struct str s, uint64_t at, uint64_t n)
{
	return at <= s.n && n <= s.n - at;
}

static bool
section_fits(struct str s, uint64_t at)
{
	return number(s, at + SH_TYPE, 4) == SHT_NOBITS ||
	       fits(s, number(s, at + SH_OFFSET, 8), number(s, at + SH_OFFSET + 8, 8));
}

bool
image_is_elf(struct str s)
{
	return s.n >= 4 && memcmp(s.s, "\177ELF", 4) == 0;
}

bool
image_is_whole(struct str s)
{
	if (s.n < HEADER || memcmp(s.s, "\177ELF\2\1", 6) != 0)
		return false;
	uint64_t phoff = number(s, PHOFF, 8), shoff = number(s, SHOFF, 8);
	uint64_t phentsize = number(s, PHENTSIZE, 2), phnum = number(s, PHENTSIZE + 2, 2);
	uint64_t shentsize = number(s, PHENTSIZE + 4, 2),
		 shnum = number(s, PHENTSIZE + 6, 2);
	if (shnum == 0 || shentsize != SECTION || !fits(s, shoff, shnum * SECTION))
		return false;
	if (phnum && (phentsize != SEGMENT || !fits(s, phoff, phnum * SEGMENT)))
		return false;
	for (uint64_t i = 0; i < shnum; i++) {
		if (!section_fits(s, shoff + i * SECTION))
			return false;
	}
	return true;
}

bool
image_is_native(struct str s)
{
	return image_is_whole(s) && number(s, TYPE, 2) == ET_DYN &&
	       number(s, TYPE + 2, 2) != EM_CUDA;
}

/*
 * Bits 0 to 8 of an instruction of 16 bytes (sm_75 and newer) name it.  Found by
 * compiling a kernel with each with ptxas 13.0 for sm_75, 80, 86, 89, 90, 100 and 120:
 * the same numbers everywhere, and in no kernel without.
 */
static const struct {
	unsigned op;
	const char *name;
} sampling[] = {
	{0x160, "TEX"},
	{0x163, "TLD4"},
	{0x166, "TLD"},
	{0x16c, "TXD"},
	{0x16f, "TXQ"},
	{0x199, "SULD"},
	{0x19b, "SUST"},
	{0x19d, "SUST"},
	{0x19f, "SURED"},
};

static const char *
code_textures(struct str code)
{
	enum { INSTRUCTION_BYTES = 16, OP = 0x1ff };
	for (size_t at = 0; at + INSTRUCTION_BYTES <= code.n; at += INSTRUCTION_BYTES) {
		for (size_t i = 0; i < sizeof sampling / sizeof *sampling; i++) {
			if ((number(code, at, 2) & OP) == sampling[i].op)
				return sampling[i].name;
		}
	}
	return NULL;
}

/* The bytes of a section of a file that is whole; empty if it has none. */
static struct str
section_bytes(struct str s, uint64_t i)
{
	uint64_t at = number(s, SHOFF, 8) + i * SECTION;
	if (i >= number(s, PHENTSIZE + 6, 2) || number(s, at + SH_TYPE, 4) == SHT_NOBITS)
		return (struct str){0};
	uint64_t from = number(s, at + SH_OFFSET, 8);
	return str_sub(s, from, from + number(s, at + SH_OFFSET + 8, 8));
}

static const char *
elf_textures(struct arena *a, struct str s, struct str entry)
{
	struct str names = section_bytes(s, number(s, SHSTRNDX, 2));
	struct str wanted = str_fmt(a, ".text.%.*s", STR_ARG(entry));
	for (uint64_t i = 0; i < number(s, PHENTSIZE + 6, 2); i++) {
		uint64_t at = number(s, number(s, SHOFF, 8) + i * SECTION, 4);
		struct str name = str_sub(names, at, names.n);
		if (str_eq(str_sub(name, 0, str_find(name, 0)), wanted))
			return code_textures(section_bytes(s, i));
	}
	return NULL;
}

/* An instruction stands behind white space, a label or a predicate. */
static const char *
ptx_textures(struct arena *a, struct str s)
{
	static const char *const start[] = {
		"tex.", "tld4.", "txq.", "suld.", "sust.", "sured.", "suq."};
	for (size_t i = 1; i < s.n; i++) {
		struct str rest = str_sub(s, i, s.n);
		if (s.s[i - 1] > ' ' || (rest.s[0] != 't' && rest.s[0] != 's'))
			continue;
		for (size_t j = 0; j < sizeof start / sizeof *start; j++) {
			size_t end = 0;
			while (end < rest.n && rest.s[end] > ' ')
				end++;
			if (str_starts(rest, start[j]))
				return str_c(a, str_sub(rest, 0, end));
		}
	}
	return NULL;
}

const char *
image_textures(struct arena *a, struct str bytes, struct str entry)
{
	return image_is_elf(bytes) ? elf_textures(a, bytes, entry)
				   : ptx_textures(a, bytes);
}
