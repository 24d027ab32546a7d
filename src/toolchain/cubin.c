#include "toolchain/cubin.h"

#include "base/arena.h"

/* System V ABI, "ELF-64 Object File Format" 1.5: sizes and offsets of the fields used. */
enum {
	ELF_HEADER_BYTES = 64,
	SECTION_BYTES = 64,
	SYMBOL_BYTES = 24,
	SHT_SYMTAB = 2,
	SHT_CUDA_INFO = 0x70000000,
};

/* From sm_90 on the section of static shared memory contains the 1 KiB that the system
 * reserves in every block (CUDA programming guide, "Technical Specifications"). */
enum { RESERVED_SHARED_BYTES = 1024, FIRST_RESERVING_ARCH = 90 };

/* The format byte of an attribute: its value is u16 size + data, else 2 bytes in place.
 */
enum { FORMAT_SIZED = 4 };

struct section {
	uint64_t name;   /* offset in the table of names */
	struct str data; /* empty when the file does not hold it (NOBITS) */
	uint64_t bytes;
	uint32_t type, link;
};

struct cubin {
	struct str bytes;
	struct str names;
	struct section *sections;
	size_t n;
	int arch;
};

static uint64_t
get(struct str s, size_t at, size_t n)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n && at + i < s.n; i++)
		v |= (uint64_t)(unsigned char)s.s[at + i] << (8 * i);
	return v;
}

/* The bytes of a range of the file, or nothing if it is not wholly inside. */
static struct str
range(struct str s, uint64_t at, uint64_t n)
{
	if (at > s.n || n > s.n - at)
		return (struct str){0};
	return (struct str){s.s + at, (size_t)n};
}

/* Is the NUL-terminated string at an offset of a table prefix + name?  (Comparing, rather
 * than measuring the string first, keeps a table without NULs from costing its square.)
 */
static bool
string_is(struct str table, uint64_t at, const char *prefix, struct str name)
{
	size_t n = strlen(prefix);
	struct str s = range(table, at, n + name.n + 1);
	return s.n && memcmp(s.s, prefix, n) == 0 && s.s[n + name.n] == 0 &&
	       (name.n == 0 || memcmp(s.s + n, name.s, name.n) == 0);
}

int
cubin_arch(struct str b)
{
	enum { EM_CUDA = 190 }; /* binutils include/elf/common.h */
	if (b.n < ELF_HEADER_BYTES || memcmp(b.s, "\177ELF\2\1", 6) != 0 ||
		get(b, 18, 2) != EM_CUDA)
		return 0;
	uint64_t flags = get(b, 48, 4);
	/* ABI version 8 (CUDA 13) moved the architecture up by a byte. */
	return (int)(get(b, 8, 1) >= 8 ? flags >> 8 & 0xff : flags & 0xff);
}

static void
read_section(const struct cubin *c, struct str header, struct section *s)
{
	enum { SHT_NOBITS = 8 };
	s->name = get(header, 0, 4);
	s->type = (uint32_t)get(header, 4, 4);
	s->link = (uint32_t)get(header, 40, 4);
	s->bytes = get(header, 32, 8);
	if (s->type != SHT_NOBITS)
		s->data = range(c->bytes, get(header, 24, 8), s->bytes);
}

static bool
cubin_open(struct arena *a, struct str bytes, struct cubin *c)
{
	c->bytes = bytes;
	c->arch = cubin_arch(bytes);
	uint64_t at = get(bytes, 40, 8), n = get(bytes, 60, 2), names = get(bytes, 62, 2);
	struct str table = range(bytes, at, n * SECTION_BYTES);
	if (!c->arch || get(bytes, 58, 2) != SECTION_BYTES || !table.n || names >= n)
		return false;
	c->n = (size_t)n;
	c->sections = arena_news(a, c->n, struct section);
	for (size_t i = 0; i < c->n; i++)
		read_section(c,
			str_sub(table, i * SECTION_BYTES, (i + 1) * SECTION_BYTES),
			&c->sections[i]);
	c->names = c->sections[names].data;
	return true;
}

/* The section named prefix + name, or NULL. */
static const struct section *
section_find(const struct cubin *c, const char *prefix, struct str name)
{
	for (size_t i = 0; i < c->n; i++)
		if (string_is(c->names, c->sections[i].name, prefix, name))
			return &c->sections[i];
	return NULL;
}

/* Index of the symbol of a name, or -1. */
static int64_t
symbol_find(const struct cubin *c, struct str name)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct section *s = &c->sections[i];
		if (s->type != SHT_SYMTAB || s->link >= c->n)
			continue;
		for (size_t k = 0; (k + 1) * SYMBOL_BYTES <= s->data.n; k++) {
			struct str table = c->sections[s->link].data;
			if (string_is(table, get(s->data, k * SYMBOL_BYTES, 4), "", name))
				return (int64_t)k;
		}
	}
	return -1;
}

struct attribute {
	unsigned id;
	struct str value;
};

/* Cuts the next attribute off *rest; false at the end or at nonsense. */
static bool
attribute_next(struct str *rest, struct attribute *out)
{
	if (rest->n < 4)
		return false;
	out->id = (unsigned char)rest->s[1];
	size_t head = 2, n = 2;
	if (rest->s[0] == FORMAT_SIZED) {
		head = 4;
		n = (size_t)get(*rest, 2, 2);
	}
	if (n > rest->n - head)
		return false;
	out->value = str_sub(*rest, head, head + n);
	*rest = str_sub(*rest, head + n, rest->n);
	return true;
}

static void
read_global(const struct cubin *c, struct str entry, struct facts *f)
{
	const struct section *s = section_find(c, ".nv.info", (struct str){0});
	int64_t symbol = symbol_find(c, entry);
	struct str rest = s && s->type == SHT_CUDA_INFO ? s->data : (struct str){0};
	struct attribute at;
	while (attribute_next(&rest, &at)) {
		if (at.value.n < 8 || (int64_t)get(at.value, 0, 4) != symbol)
			continue;
		if (at.id == CUBIN_REGCOUNT)
			f->registers = (int64_t)get(at.value, 4, 4);
		else if (at.id == CUBIN_FRAME_SIZE)
			f->local_bytes = (int64_t)get(at.value, 4, 4);
	}
}

/*
 * Spilled bytes: the widths of the spill instructions.  An instruction is 16 bytes on
 * sm_75 and newer; bits 0-8 name it (183 LDL, 187 STL), bits 73-75 its width.
 */
static void
add_spill(struct str code, uint64_t pc, struct facts *f)
{
	static const unsigned char widths[] = {1, 1, 2, 2, 4, 8, 16, 0};
	enum { INSTRUCTION_BYTES = 16, LDL = 0x183, STL = 0x187 };
	struct str ins = range(code, pc, INSTRUCTION_BYTES);
	unsigned op = (unsigned)get(ins, 0, 2) & 0x1ff;
	unsigned width = widths[get(ins, 9, 1) >> 1 & 7];
	if (!ins.n)
		return;
	if (op == LDL)
		f->spill_load_bytes += width;
	else if (op == STL)
		f->spill_store_bytes += width;
}

static void
read_spills(struct str value, struct str code, struct facts *f)
{
	enum { KIND_SPILL = 1 };
	for (size_t at = 0; at + 8 <= value.n; at += 8)
		if (get(value, at, 4) == KIND_SPILL)
			add_spill(code, get(value, at + 4, 4), f);
}

static int64_t
volume(struct str value)
{
	uint64_t v = get(value, 0, 4) * get(value, 4, 4);
	uint64_t z = get(value, 8, 4);
	/* hostile sizes: a block has at most 1024 threads, so a wrap is nonsense anyway
	 */
	return z && v > (uint64_t)INT64_MAX / z ? -1 : (int64_t)(v * z);
}

static void
read_own(const struct cubin *c, struct str entry, struct str code, struct facts *f)
{
	const struct section *s = section_find(c, ".nv.info.", entry);
	struct str rest = s && s->type == SHT_CUDA_INFO ? s->data : (struct str){0};
	struct attribute at;
	f->barriers = 0;
	f->spill_load_bytes = f->spill_store_bytes = 0;
	while (attribute_next(&rest, &at)) {
		if (at.id == CUBIN_NUM_BARRIERS)
			f->barriers = (int64_t)get(at.value, 0, 1);
		else if ((at.id == CUBIN_MAX_THREADS || at.id == CUBIN_REQNTID) &&
			 at.value.n >= 12)
			f->max_threads = volume(at.value);
		else if (at.id == CUBIN_ANNOTATIONS)
			read_spills(at.value, code, f);
	}
}

static int64_t
shared_bytes(const struct cubin *c, struct str entry)
{
	const struct section *s = section_find(c, ".nv.shared.", entry);
	uint64_t reserved = c->arch >= FIRST_RESERVING_ARCH ? RESERVED_SHARED_BYTES : 0;
	if (!s || s->bytes <= reserved || s->bytes > INT64_MAX)
		return 0;
	return (int64_t)(s->bytes - reserved);
}

bool
cubin_facts(struct arena *a, struct str bytes, struct str entry, struct facts *f,
	struct str *why)
{
	struct cubin c = {0};
	if (!cubin_open(a, bytes, &c)) {
		*why = STR_LIT("not a cubin");
		return false;
	}
	const struct section *text = section_find(&c, ".text.", entry);
	const struct section *constant = section_find(&c, ".nv.constant0.", entry);
	if (!text) {
		*why = str_fmt(a, "the cubin has no entry '%.*s'", STR_ARG(entry));
		return false;
	}
	read_global(&c, entry, f);
	read_own(&c, entry, text->data, f);
	f->static_shared_bytes = shared_bytes(&c, entry);
	f->code_bytes = (int64_t)text->data.n;
	f->constant_bytes = constant ? (int64_t)constant->data.n : 0;
	return true;
}
