#include "backend/datafile.h"

#include "base/arena.h"
#include "base/die.h"
#include "base/hash.h"
#include "format/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* How NumPy names what may stand in a file for each type, for messages. */
static const char *const numpy_names[N_DTYPES] = {
	[DTYPE_F64] = "<f8",
	[DTYPE_F32] = "<f4",
	[DTYPE_TF32] = "<f4",
	[DTYPE_F16] = "<f2",
	[DTYPE_BF16] = "<V2",
	[DTYPE_E4M3] = "|V1",
	[DTYPE_E5M2] = "|V1",
	[DTYPE_I8] = "|i1",
	[DTYPE_I16] = "<i2",
	[DTYPE_I32] = "<i4",
	[DTYPE_I64] = "<i8",
	[DTYPE_U8] = "|u1",
	[DTYPE_U16] = "<u2",
	[DTYPE_U32] = "<u4",
	[DTYPE_U64] = "<u8",
};

/* The type of a file's elements where `t` is wanted; false if there is none. */
static bool
stored_type(const struct npy *h, enum dtype t, enum dtype *out)
{
	bool coded = t == DTYPE_BF16 || t == DTYPE_E4M3 || t == DTYPE_E5M2;
	bool eight = h->kind == 'f' && h->bytes == 1; /* which of the two: unknown */
	*out = t;
	if (coded && (h->kind == 'V' || h->kind == 'u' || eight) &&
		h->bytes == dtype_bytes(t))
		return true;
	if (h->kind == 'V' || eight)
		return false;
	for (unsigned i = 0; i < N_DTYPES; i++) {
		*out = (enum dtype)i;
		if (numpy_names[i][1] == h->kind && h->bytes == dtype_bytes(*out) &&
			*out != DTYPE_TF32)
			return true;
	}
	return false;
}

/* As 64 bits wide, every value of `stored` is the same value of t's. */
static bool
widens(enum dtype stored, enum dtype t)
{
	if (dtype_is_float(stored) || dtype_is_float(t))
		return dtype_is_float(stored) && dtype_is_float(t);
	return t == DTYPE_U64 ? !dtype_is_signed(stored) : stored != DTYPE_U64;
}

static bool
fits(enum dtype stored, enum dtype t, enum datafile_use use)
{
	if (use == DATAFILE_EXPECTED)
		return widens(stored, t);
	return stored == t || (stored == DTYPE_F32 && t == DTYPE_TF32);
}

static bool
read_npy(struct arena *a, const char *path, struct str bytes, enum dtype t,
	uint64_t count, enum datafile_use use, struct datafile *out, struct str *why)
{
	struct npy h;
	const char *wrong = npy_read(bytes, &h);
	if (!wrong && h.fortran)
		wrong = "is in Fortran order: save it with np.ascontiguousarray()";
	if (!wrong && h.order == '>' && h.bytes > 1)
		wrong = "is big endian: save it with astype(x.dtype.newbyteorder('<'))";
	if (wrong)
		*why = str_fmt(a, "'%s' %s", path, wrong);
	else if (!stored_type(&h, t, &out->stored) || !fits(out->stored, t, use))
		*why = str_fmt(a, "'%s' holds '%.*s', which is no %s: save it as '%s'",
			path, STR_ARG(h.descr), dtype_name(t), numpy_names[t]);
	else if (h.count != count)
		*why = str_fmt(a, "'%s' has %llu elements, not %llu", path,
			(unsigned long long)h.count, (unsigned long long)count);
	else if (bytes.n - h.data_at != h.count * h.bytes)
		*why = str_fmt(a, "'%s' is not as long as its header says", path);
	out->data = (const unsigned char *)bytes.s + h.data_at;
	return why->n == 0;
}

bool
datafile_read(struct arena *a, const char *path, struct str bytes, enum dtype t,
	uint64_t count, enum datafile_use use, struct datafile *out, struct str *why)
{
	uint64_t want = count * dtype_bytes(t);
	*why = (struct str){0};
	if (use == DATAFILE_EXPECTED || str_ends(str_of(path), ".npy"))
		return read_npy(a, path, bytes, t, count, use, out, why);
	*out = (struct datafile){t, (const unsigned char *)bytes.s};
	if (bytes.n == want)
		return true;
	*why = str_fmt(a, "'%s' has %zu bytes, and %llu elements of %s are %llu", path,
		bytes.n, (unsigned long long)count, dtype_name(t),
		(unsigned long long)want);
	return false;
}

/* --- inputs --------------------------------------------------------------------------
 */

static struct str
map_file(const char *path)
{
	struct stat st;
	struct str file = {"", 0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) != 0)
		die("cannot read '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		die("cannot read '%s': it is no file", path);
	if (st.st_size) {
		file.n = (size_t)st.st_size;
		file.s = mmap(NULL, file.n, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file.s == MAP_FAILED)
			die("cannot read '%s': %s", path, strerror(errno));
	}
	close(fd);
	return file;
}

static void
unmap_file(struct str file)
{
	if (file.n)
		munmap((void *)(uintptr_t)file.s, file.n);
}

void
datafile_check(const struct arg *v)
{
	struct arena a = {0};
	const char *path = str_c(&a, v->file);
	struct str file = map_file(path);
	if (!str_is(v->file_hash, hash_short(&a, file, v->file_hash.n)))
		die("'%s' is not the file that the graph was written for; run 'lanewise "
		    "graph'",
			path);
	unmap_file(file);
	arena_release(&a);
}

void
datafile_fill(const struct arg *v, uint64_t first, uint64_t n, void *to)
{
	struct arena a = {0};
	struct datafile f;
	struct str why, file = map_file(str_c(&a, v->file));
	size_t bytes = dtype_bytes(v->type);
	if (!datafile_read(&a, str_c(&a, v->file), file, v->type, v->count,
		    DATAFILE_INPUT, &f, &why))
		die("argument '%.*s': %.*s", STR_ARG(v->name), STR_ARG(why));
	memcpy(to, f.data + first * bytes, n * bytes);
	for (uint64_t i = 0; v->type == DTYPE_TF32 && i < n; i++) {
		unsigned char *p = (unsigned char *)to + bytes * i;
		uint64_t bits = dtype_convert(v->type, dtype_decode(v->type, p), false);
		memcpy(p, &bits, bytes);
	}
	unmap_file(file);
	arena_release(&a);
}
