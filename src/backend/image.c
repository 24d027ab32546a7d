#include "backend/cuda_run.h"

/* ELF-64, little endian: System V gABI, chapter 4. */
enum {
	HEADER = 64,
	SHOFF = 40,     /* e_shoff, 8 bytes */
	PHOFF = 32,     /* e_phoff, 8 bytes */
	PHENTSIZE = 54, /* then e_phnum, e_shentsize, e_shnum, 2 bytes each */
	SECTION = 64,   /* sizeof(Elf64_Shdr) */
	SEGMENT = 56,   /* sizeof(Elf64_Phdr) */
	SH_TYPE = 4,    /* 4 bytes */
	SH_OFFSET = 24, /* then sh_size, 8 bytes each */
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
