#include "cache/action_result.h"

#include "base/buf.h"

/* Numbers of fields, and the wire types of protobuf. */
enum {
	RESULT_FILE = 2,
	FILE_PATH = 1,
	FILE_DIGEST = 2,
	DIGEST_HASH = 1,
	DIGEST_SIZE = 2
};
enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

struct field {
	uint64_t number;
	unsigned wire;
	uint64_t value;   /* WIRE_VARINT */
	struct str bytes; /* WIRE_BYTES */
};

void
sha256_hex(struct str s, char out[SHA256_HEX + 1])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char h[SHA256_BYTES];
	sha256(s, h);
	for (size_t i = 0; i < SHA256_BYTES; i++) {
		out[2 * i] = digits[h[i] >> 4];
		out[2 * i + 1] = digits[h[i] & 15];
	}
	out[SHA256_HEX] = 0;
}

static void
put_varint(struct buf *b, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		buf_addc(b, (char)(v | 0x80));
	buf_addc(b, (char)v);
}

static void
put_bytes(struct buf *b, unsigned number, struct str s)
{
	put_varint(b, number << 3 | WIRE_BYTES);
	put_varint(b, s.n);
	buf_addstr(b, s);
}

struct str
action_result_write(struct arena *a, const struct action_result *r)
{
	struct buf digest = {.a = a}, file = {.a = a}, result = {.a = a};
	put_bytes(&digest, DIGEST_HASH, str_of(r->digest));
	put_varint(&digest, DIGEST_SIZE << 3 | WIRE_VARINT);
	put_varint(&digest, r->bytes);
	put_bytes(&file, FILE_PATH, STR_LIT("entry"));
	put_bytes(&file, FILE_DIGEST, buf_str(&digest));
	put_bytes(&result, RESULT_FILE, buf_str(&file));
	return buf_str(&result);
}

static bool
take_varint(struct str *rest, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; rest->n && shift < 64; shift += 7) {
		unsigned char c = (unsigned char)rest->s[0];
		*rest = str_sub(*rest, 1, rest->n);
		*v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return true;
	}
	return false;
}

static bool
take_field(struct str *rest, struct field *f)
{
	uint64_t tag, n = 0;
	*f = (struct field){0};
	if (!take_varint(rest, &tag))
		return false;
	f->number = tag >> 3;
	f->wire = tag & 7;
	if (f->wire == WIRE_VARINT)
		return take_varint(rest, &f->value);
	if (f->wire == WIRE_64 || f->wire == WIRE_32)
		n = f->wire == WIRE_64 ? 8 : 4;
	else if (f->wire != WIRE_BYTES || !take_varint(rest, &n))
		return false;
	if (n > rest->n)
		return false;
	f->bytes = str_sub(*rest, 0, n);
	*rest = str_sub(*rest, n, rest->n);
	return true;
}

/* The first field of this number that holds bytes. */
static bool
find_bytes(struct str message, unsigned number, struct str *out)
{
	struct field f;
	while (message.n) {
		if (!take_field(&message, &f))
			return false;
		if (f.number == number && f.wire == WIRE_BYTES) {
			*out = f.bytes;
			return true;
		}
	}
	return false;
}

static bool
is_digest(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!strchr("0123456789abcdef", s.s[i]) || !s.s[i])
			return false;
	return s.n == SHA256_HEX;
}

bool
action_result_read(struct str message, struct action_result *r)
{
	struct str file, digest, hash;
	struct field f;
	*r = (struct action_result){0};
	if (!find_bytes(message, RESULT_FILE, &file) ||
		!find_bytes(file, FILE_DIGEST, &digest) ||
		!find_bytes(digest, DIGEST_HASH, &hash) || !hash.s || !is_digest(hash))
		return false;
	memcpy(r->digest, hash.s, SHA256_HEX);
	while (digest.n) {
		if (!take_field(&digest, &f))
			return false;
		if (f.number == DIGEST_SIZE && f.wire == WIRE_VARINT)
			r->bytes = f.value;
	}
	return true;
}
