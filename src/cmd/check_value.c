#include "cmd/check_value.h"

#include "base/arena.h"

#include <inttypes.h>

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool
hex_value(struct arena *a, const struct ptx_var *v, struct str hex, struct gate_arg *out,
	struct str *why)
{
	unsigned char *p = arena_alloc(a, hex.n / 2 + 1);

	if (hex.n % 2) {
		*why = STR_LIT("bytes need two hex digits each");
		return false;
	}
	for (size_t i = 0; i < hex.n; i += 2) {
		int hi = hex_digit(hex.s[i]), lo = hex_digit(hex.s[i + 1]);

		if (hi < 0 || lo < 0) {
			*why = str_fmt(
				a, "'%.*s' is no hex", STR_ARG(str_sub(hex, i, i + 2)));
			return false;
		}
		p[i / 2] = (unsigned char)(hi << 4 | lo);
	}
	if (hex.n / 2 != v->bytes) {
		*why = str_fmt(
			a, "%zu bytes for a parameter of %" PRIu64, hex.n / 2, v->bytes);
		return false;
	}
	*out = (struct gate_arg){GATE_ARG_BYTES, p, hex.n / 2};
	return true;
}

static bool
store(struct arena *a, uint64_t bits, const struct ptx_var *v, struct gate_arg *out)
{
	unsigned char *p = arena_alloc(a, v->bytes);

	for (size_t i = 0; i < v->bytes; i++)
		p[i] = (unsigned char)(bits >> (8 * i));
	*out = (struct gate_arg){GATE_ARG_BYTES, p, v->bytes};
	return true;
}

static bool
integer_value(struct arena *a, const struct ptx_var *v, struct str text, int64_t i,
	struct gate_arg *out, struct str *why)
{
	unsigned b = (unsigned)v->bytes * 8;

	if (b >= 64 || (i >= -(INT64_C(1) << (b - 1)) && i < INT64_C(1) << b))
		return store(a, (uint64_t)i, v, out);
	*why = str_fmt(a, "%.*s does not fit in %u bits", STR_ARG(text), b);
	return false;
}

static bool
float_value(struct arena *a, const struct ptx_var *v, struct str text, double x,
	struct gate_arg *out, struct str *why)
{
	enum dtype t = v->bytes == 8 ? DTYPE_F64 : v->bytes == 4 ? DTYPE_F32 : DTYPE_F16;
	uint64_t bits = 0;

	if (dtype_encode(t, x, &bits))
		return store(a, bits, v, out);
	*why = str_fmt(a, "%.*s is out of range", STR_ARG(text));
	return false;
}

/* Every width of a float is taken from the parameter; integers are read as integers even
 * for float parameters of the type .b32, which CUDA does not emit. */
static bool
number_value(struct arena *a, const struct ptx_var *v, struct str text,
	struct gate_arg *out, struct str *why)
{
	bool is_float = ptx_type_class(v->type) == 'f';
	int64_t i;
	uint64_t u;
	double x;

	if (v->array || v->bytes > 8 || !v->bytes) {
		*why = str_fmt(a,
			"a parameter of %" PRIu64 " bytes is given as bytes:HEX",
			v->bytes);
		return false;
	}
	if (!is_float && str_to_i64(text, &i))
		return integer_value(a, v, text, i, out, why);
	if (!is_float && v->bytes == 8 && str_to_u64(text, &u))
		return store(a, u, v, out);
	if (!str_to_f64(text, &x)) {
		*why = str_fmt(a, "'%.*s' is no number, bytes:HEX, ptr or unknown",
			STR_ARG(text));
		return false;
	}
	if (is_float)
		return float_value(a, v, text, x, out, why);
	*why = str_fmt(a,
		"%.*s is no whole number of %" PRIu64
		" bits: the parameter is an integer (.%s)",
		STR_ARG(text), v->bytes * 8, ptx_type_name(v->type));
	return false;
}

bool
check_value(struct arena *a, const struct ptx_var *v, struct str text,
	struct gate_arg *out, struct str *why)
{
	if (str_is(text, "unknown"))
		*out = (struct gate_arg){.kind = GATE_ARG_UNKNOWN};
	else if (str_is(text, "ptr"))
		*out = (struct gate_arg){.kind = GATE_ARG_POINTER};
	else if (str_starts(text, "bytes:"))
		return hex_value(a, v, str_sub(text, 6, text.n), out, why);
	else
		return number_value(a, v, text, out, why);
	return true;
}
