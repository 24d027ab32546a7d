/* Modules, their kernels and constants, launches. */
#include "fake/fake.h"

#include "fake/fake_kernel.h"

#include <stdio.h>
#include <stdlib.h>

#define X(field, symbol, optional, parameters) FAKE_EXPORT cu_result symbol parameters;
CUDA_API(X)
#undef X

enum { KERNELS = 32, CONSTANTS = 4, MODULES = 256, CONSTANT_BYTES = 64 << 10 };

struct cu_function {
	struct fake_kernel k;
	int dynamic_shared, big_cluster;
};

struct cu_module {
	bool used;
	uint64_t hash;
	struct cu_function kernel[KERNELS];
	size_t n_kernels;
	struct {
		char name[64];
		size_t bytes;
		cu_pointer at;
	} constant[CONSTANTS];
	size_t n_constants;
};

static struct cu_module module[MODULES];

void
fake_module_reset(void)
{
	memset(module, 0, sizeof module);
}

/* --- their text --------------------------------------------------------------------- */

static const char *
word_value(const char *word, const char *name)
{
	size_t n = strlen(name);
	return strncmp(word, name, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

static void
params_read(struct fake_kernel *k, const char *list)
{
	char *end;
	k->n_params = 0;
	for (; *list && k->n_params < FAKE_PARAMS; list = end + (*end == ',')) {
		k->bytes[k->n_params++] = strtoul(list, &end, 10);
		if (end == list)
			abort();
	}
}

static void
kernel_option(struct fake_kernel *k, const char *word)
{
	const char *v;
	if ((v = word_value(word, "params")))
		params_read(k, v);
	else if ((v = word_value(word, "ns")))
		k->ns = strcmp(v, "auto") == 0 ? -1 : strtol(v, NULL, 10);
	else if ((v = word_value(word, "cold")))
		k->cold_ns = strtol(v, NULL, 10);
	else if ((v = word_value(word, "refuse")))
		k->refuse = (int)strtol(v, NULL, 10);
	else if ((v = word_value(word, "fail")))
		k->fail = (int)strtol(v, NULL, 10);
	else
		abort();
}

/* "kernel NAME BEHAVIOUR ..." */
static void
kernel_read(struct fake_kernel *k, char *line)
{
	char *save, *word = strtok_r(line, " ", &save);
	*k = (struct fake_kernel){.ns = 5000, .n_params = 3, .bytes = {8, 8, 4}};
	word = strtok_r(NULL, " ", &save);
	snprintf(k->name, sizeof k->name, "%s", word ? word : "");
	word = strtok_r(NULL, " ", &save);
	k->behaviour = fake_behaviour(word ? word : "");
	while ((word = strtok_r(NULL, " ", &save)))
		kernel_option(k, word);
}

static void
constant_read(struct cu_module *m, const char *line)
{
	char *end;
	const char *name = line + strlen("constant ");
	size_t n = strcspn(name, " ");
	snprintf(m->constant[m->n_constants].name, 64, "%.*s", (int)n, name);
	m->constant[m->n_constants].bytes = strtoul(name + n, &end, 10);
	cuMemAlloc_v2(&m->constant[m->n_constants++].at, CONSTANT_BYTES);
}

/* The error of an "error CODE WORDS" line; the words go to the log. */
static cu_result
error_read(const char *line, unsigned n, const cu_enum *options, void **values)
{
	char *end;
	long code = strtol(line + strlen("error "), &end, 10);
	for (unsigned i = 0; i < n; i++) {
		if (options[i] == CU_JIT_ERROR_LOG)
			snprintf(values[i], 256, "%s\n", end + (*end == ' '));
	}
	return (cu_result)code;
}

static cu_result
text_read(struct cu_module *m, const char *text, unsigned n, const cu_enum *options,
	void **values)
{
	cu_result e = CU_OK;
	char line[512];
	while (*text && e == CU_OK) {
		size_t length = strcspn(text, "\n");
		snprintf(line, sizeof line, "%.*s", (int)length, text);
		text += length + (text[length] == '\n');
		if (strncmp(line, "kernel ", 7) == 0 && m->n_kernels < KERNELS)
			kernel_read(&m->kernel[m->n_kernels++].k, line);
		else if (strncmp(line, "constant ", 9) == 0 && m->n_constants < CONSTANTS)
			constant_read(m, line);
		else if (strncmp(line, "error ", 6) == 0)
			e = error_read(line, n, options, values);
	}
	return e;
}

/* --- our helpers, other people's modules -------------------------------------------- */

static const char helpers[] = "kernel lanewise_empty empty params= ns=0\n"
			      "kernel lanewise_clock clock params=8,8 ns=0\n"
			      "kernel lanewise_sum word-sum params=8,8,8 ns=1000\n";

static cu_result
file_read(struct cu_module *m)
{
	const char *path = getenv("LANEWISE_FAKE_KERNELS");
	char text[4096] = {0};
	FILE *f = path ? fopen(path, "r") : NULL;
	if (!f)
		return CU_NO_BINARY;
	size_t n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	return n ? text_read(m, text, 0, NULL, NULL) : CU_NO_BINARY;
}

/* The bytes of a cubin are known by its section headers, which come last. */
static size_t
image_bytes(const char *image)
{
	uint64_t sections;
	uint16_t n;
	if (memcmp(image, "\177ELF", 4) != 0)
		return strlen(image);
	memcpy(&sections, image + 40, 8);
	memcpy(&n, image + 60, 2);
	return (size_t)sections + (size_t)n * 64;
}

static uint64_t
hash(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325; /* FNV-1a */
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3;
	return h;
}

FAKE_EXPORT cu_result
cuModuleLoadDataEx(
	cu_module *out, const void *image, unsigned n, cu_enum *options, void **values)
{
	struct cu_module *m = module;
	const char *text = image;
	cu_result e = fake_call(100000);
	if (e != CU_OK)
		return e;
	while (m->used)
		m++; /* more than there are is a crash, in a test */
	*m = (struct cu_module){.used = true, .hash = hash(text, image_bytes(text))};
	if (strncmp(text, "fake", 4) == 0)
		e = text_read(m, text, n, options, values);
	else if (strstr(text, "lanewise_clock"))
		e = fake_word("nohelper", 0) ? CU_UNSUPPORTED_PTX
					     : text_read(m, helpers, 0, NULL, NULL);
	else
		e = file_read(m);
	*out = m;
	fake_seen.modules += e == CU_OK;
	m->used = e == CU_OK;
	return e;
}

FAKE_EXPORT cu_result
cuModuleUnload(cu_module m)
{
	fake_blocks();
	for (size_t i = 0; i < m->n_constants; i++)
		cuMemFree_v2(m->constant[i].at);
	*m = (struct cu_module){0};
	fake_seen.modules--;
	return fake_call(10000);
}

FAKE_EXPORT cu_result
cuModuleGetFunction(cu_function *f, cu_module m, const char *name)
{
	for (size_t i = 0; i < m->n_kernels; i++) {
		*f = &m->kernel[i];
		if (strcmp((*f)->k.name, name) == 0 || strcmp((*f)->k.name, "*") == 0)
			return fake_call(1000);
	}
	*f = NULL;
	return CU_NOT_FOUND;
}

FAKE_EXPORT cu_result
cuModuleGetGlobal_v2(cu_pointer *p, size_t *bytes, cu_module m, const char *name)
{
	for (size_t i = 0; i < m->n_constants; i++) {
		*p = m->constant[i].at;
		*bytes = m->constant[i].bytes;
		if (strcmp(m->constant[i].name, name) == 0)
			return fake_call(1000);
	}
	return CU_NOT_FOUND;
}

FAKE_EXPORT cu_result
cuFuncSetAttribute(cu_function f, cu_enum a, int v)
{
	int optin = 0;
	cuDeviceGetAttribute(&optin, CU_ATTR_SHARED_OPTIN, 0);
	if (a == CU_FUNC_DYNAMIC_SHARED && v > optin)
		return CU_INVALID_VALUE;
	*(a == CU_FUNC_DYNAMIC_SHARED ? &f->dynamic_shared : &f->big_cluster) = v;
	return fake_call(500);
}

FAKE_EXPORT cu_result
cuFuncGetAttribute(int *v, cu_enum a, cu_function f)
{
	*v = a == CU_FUNC_DYNAMIC_SHARED ? f->dynamic_shared : 0;
	return fake_call(500);
}

#ifndef FAKE_BARE
FAKE_EXPORT cu_result
cuFuncGetParamInfo(cu_function f, size_t i, size_t *offset, size_t *bytes)
{
	if (i >= f->k.n_params)
		return CU_INVALID_VALUE;
	*offset = 8 * i;
	*bytes = f->k.bytes[i];
	return fake_call(100);
}
#endif

/* --- launches ----------------------------------------------------------------------- */

static void
attributes_see(const struct cu_launch *l)
{
	fake_seen.launch = *l;
	fake_seen.cooperative = fake_seen.programmatic = 0;
	memset(fake_seen.cluster, 0, sizeof fake_seen.cluster);
	for (unsigned i = 0; i < l->n_attributes; i++) {
		const struct cu_launch_attribute *v = &l->attributes[i];
		if (v->id == CU_LAUNCH_COOPERATIVE)
			fake_seen.cooperative = v->value.cooperative;
		else if (v->id == CU_LAUNCH_PROGRAMMATIC)
			fake_seen.programmatic = v->value.programmatic;
		else if (v->id == CU_LAUNCH_CLUSTER)
			memcpy(fake_seen.cluster, &v->value.cluster,
				sizeof fake_seen.cluster);
		else
			abort();
	}
}

static unsigned
cluster_blocks(const struct cu_launch *l)
{
	for (unsigned i = 0; i < l->n_attributes; i++) {
		const struct cu_launch_attribute *v = &l->attributes[i];
		if (v->id == CU_LAUNCH_CLUSTER)
			return v->value.cluster.x * v->value.cluster.y *
			       v->value.cluster.z;
	}
	return 1;
}

static cu_result
shape_check(const struct cu_launch *l, cu_function f)
{
	unsigned cluster = cluster_blocks(l);
	if (l->block_x * l->block_y * l->block_z > 1024 || l->grid_y > 65535 ||
		l->grid_z > 65535)
		return CU_INVALID_VALUE;
	if (l->shared_bytes > 49152 && l->shared_bytes > (unsigned)f->dynamic_shared)
		return CU_INVALID_VALUE;
	return cluster > 16 || (cluster > 8 && !f->big_cluster) ? CU_INVALID_CLUSTER
								: CU_OK;
}

FAKE_EXPORT cu_result
cuLaunchKernelEx(const struct cu_launch *l, cu_function f, void **params, void **extra)
{
	enum { LAUNCH_NS = 2000, GAP_NS = 1000 };
	struct fake_op op = {.gap = GAP_NS};
	struct fake_work w = {.k = &f->k, .blocks = l->grid_x * l->grid_y * l->grid_z};
	bool helper = strncmp(f->k.name, "lanewise_", 9) == 0;
	cu_result e = fake_call(LAUNCH_NS);
	(void)extra;
	if (e == CU_OK)
		e = f->k.refuse ? f->k.refuse : shape_check(l, f);
	if (e != CU_OK)
		return e;
	for (size_t i = 0; i < f->k.n_params; i++)
		memcpy(&w.value[i], params[i], f->k.bytes[i]);
	for (struct cu_module *m = module; m < module + MODULES; m++) {
		bool mine = f >= m->kernel && f < m->kernel + KERNELS;
		if (mine && m->n_constants)
			w.constant = m->constant[0].at;
		if (mine && f->k.ns < 0)
			op.ns = 5000 + (int64_t)((m->hash ^ l->block_x * 0x9e37u) % 5000);
	}
	if (!helper)
		attributes_see(l);
	fake_seen.launches += !helper;
	return fake_kernel_submit(l->stream, &w, &op);
}
