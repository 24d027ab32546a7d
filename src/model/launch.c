#include "model/launch.h"

#include "base/arena.h"
#include "base/buf.h"

bool
dim_parse(struct str s, struct dim *out)
{
	uint64_t v[3] = {1, 1, 1};
	char sep = str_find(s, 'x') < s.n ? 'x' : ',';
	struct str piece;
	size_t n = 0;
	if (s.n == 0 || s.s[s.n - 1] == sep)
		return false;
	while (str_split(&s, sep, &piece)) {
		/* A digit first: str_to_u64 would let a sign or 0x through. */
		if (n == 3 || piece.n == 0 || piece.s[0] < '0' || piece.s[0] > '9')
			return false;
		if (!str_to_u64(piece, &v[n]) || v[n] == 0)
			return false;
		n++;
	}
	*out = (struct dim){v[0], v[1], v[2]};
	return n > 0;
}

static void
dim_add(struct buf *b, struct dim d)
{
	buf_addf(b, "%llu,%llu,%llu", (unsigned long long)d.x, (unsigned long long)d.y,
		(unsigned long long)d.z);
}

struct str
dim_text(struct arena *a, struct dim d)
{
	struct buf b = {.a = a};
	dim_add(&b, d);
	return buf_str(&b);
}

static uint64_t
saturating_mul(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

uint64_t
dim_volume(struct dim d)
{
	if (d.x == 0 || d.y == 0 || d.z == 0)
		return 0;
	return saturating_mul(saturating_mul(d.x, d.y), d.z);
}

struct str
launch_text(struct arena *a, const struct launch *l)
{
	struct buf b = {.a = a};
	dim_add(&b, l->block);
	buf_addc(&b, '/');
	dim_add(&b, l->grid);
	buf_addc(&b, '/');
	dim_add(&b, l->cluster);
	buf_addf(&b, "/%llu%s%s", (unsigned long long)l->shared_bytes,
		l->cooperative ? "/coop" : "", l->programmatic ? "/pdl" : "");
	return buf_str(&b);
}

bool
launch_parse(struct str s, struct launch *out)
{
	struct str piece[6] = {{0}}, rest = s;
	struct launch l = {0};
	size_t n = 0;
	if (s.n == 0 || s.s[s.n - 1] == '/')
		return false;
	while (n < 6 && str_split(&rest, '/', &piece[n]))
		n++;
	if (n < 4 || rest.n)
		return false;
	if (!dim_parse(piece[0], &l.block) || !dim_parse(piece[1], &l.grid) ||
		!dim_parse(piece[2], &l.cluster))
		return false;
	if (piece[3].n == 0 || piece[3].s[0] < '0' || piece[3].s[0] > '9' ||
		!str_to_u64(piece[3], &l.shared_bytes))
		return false;
	l.cooperative = str_is(piece[4], "coop");
	l.programmatic = str_is(piece[l.cooperative ? 5 : 4], "pdl");
	if (n != 4 + (size_t)l.cooperative + (size_t)l.programmatic)
		return false;
	*out = l;
	return true;
}
