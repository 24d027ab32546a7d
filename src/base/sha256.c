#include "base/sha256.h"

/* FIPS 180-4, 4.2.2: the fractions of the cube roots of the first 64 primes. */
static const uint32_t K[64] = {
	0x428a2f98,
	0x71374491,
	0xb5c0fbcf,
	0xe9b5dba5,
	0x3956c25b,
	0x59f111f1,
	0x923f82a4,
	0xab1c5ed5,
	0xd807aa98,
	0x12835b01,
	0x243185be,
	0x550c7dc3,
	0x72be5d74,
	0x80deb1fe,
	0x9bdc06a7,
	0xc19bf174,
	0xe49b69c1,
	0xefbe4786,
	0x0fc19dc6,
	0x240ca1cc,
	0x2de92c6f,
	0x4a7484aa,
	0x5cb0a9dc,
	0x76f988da,
	0x983e5152,
	0xa831c66d,
	0xb00327c8,
	0xbf597fc7,
	0xc6e00bf3,
	0xd5a79147,
	0x06ca6351,
	0x14292967,
	0x27b70a85,
	0x2e1b2138,
	0x4d2c6dfc,
	0x53380d13,
	0x650a7354,
	0x766a0abb,
	0x81c2c92e,
	0x92722c85,
	0xa2bfe8a1,
	0xa81a664b,
	0xc24b8b70,
	0xc76c51a3,
	0xd192e819,
	0xd6990624,
	0xf40e3585,
	0x106aa070,
	0x19a4c116,
	0x1e376c08,
	0x2748774c,
	0x34b0bcb5,
	0x391c0cb3,
	0x4ed8aa4a,
	0x5b9cca4f,
	0x682e6ff3,
	0x748f82ee,
	0x78a5636f,
	0x84c87814,
	0x8cc70208,
	0x90befffa,
	0xa4506ceb,
	0xbef9a3f7,
	0xc67178f2,
};

static uint32_t
turn(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void
block(uint32_t h[8], const unsigned char *p)
{
	uint32_t w[64], v[8];
	for (size_t i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
		       (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t x = w[i - 15], y = w[i - 2];
		w[i] = w[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[i - 7] +
		       (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
	}
	memcpy(v, h, sizeof v);
	for (int i = 0; i < 64; i++) {
		uint32_t a = v[0], e = v[4];
		uint32_t x = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
			     ((e & v[5]) ^ (~e & v[6])) + K[i] + w[i];
		uint32_t y = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
			     ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += x;
		v[0] = x + y;
	}
	for (int i = 0; i < 8; i++)
		h[i] += v[i];
}

void
sha256(struct str s, unsigned char out[SHA256_BYTES])
{
	enum { BLOCK = 64, LENGTH = 8 };
	uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
		0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	unsigned char tail[2 * BLOCK] = {0};
	size_t whole = s.n / BLOCK * BLOCK, left = s.n - whole;
	size_t end = left + 1 + LENGTH <= BLOCK ? BLOCK : 2 * BLOCK;
	for (size_t i = 0; i < whole; i += BLOCK)
		block(h, (const unsigned char *)s.s + i);
	if (left)
		memcpy(tail, s.s + whole, left);
	tail[left] = 0x80;
	for (size_t i = 0; i < LENGTH; i++)
		tail[end - 1 - i] = (unsigned char)((uint64_t)s.n * 8 >> (8 * i) & 0xff);
	for (size_t i = 0; i < end; i += BLOCK)
		block(h, tail + i);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		out[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)));
}
