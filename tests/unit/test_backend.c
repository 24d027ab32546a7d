/* The small parts of the CUDA backend that need no GPU. */
#include "backend/cuda_probe.h"
#include "backend/cuda_session.h"
#include "backend/image.h"
#include "backend/lease.h"
#include "backend/nvml.h"
#include "backend/parallel.h"
#include "base/arena.h"
#include "base/fs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void
struct_layouts(void **state)
{
	/* cuda.h of CUDA 13.0, x86-64. */
	assert_int_equal(sizeof(struct cu_launch_attribute), 72);
	assert_int_equal(offsetof(struct cu_launch_attribute, value), 8);
	assert_int_equal(sizeof(struct cu_launch), 56);
	assert_int_equal(offsetof(struct cu_launch, stream), 32);
	assert_int_equal(offsetof(struct cu_launch, n_attributes), 48);
	assert_int_equal(sizeof(struct cu_memory_kind), 32);
	assert_int_equal(offsetof(struct cu_memory_kind, win32), 16);
	assert_int_equal(sizeof(struct cu_access), 12);
	assert_int_equal(sizeof(struct cu_uuid), 16);
}

static void
statuses(void **state)
{
	static const struct {
		enum cuda_step at;
		int code;
		enum result_status want;
		bool fatal;
	} cases[] = {
		{STEP_LOAD, CU_INVALID_IMAGE, RESULT_UNLOADABLE, false},
		{STEP_LOAD, CU_NO_BINARY, RESULT_UNLOADABLE, false},
		{STEP_LOAD, CU_INVALID_PTX, RESULT_UNLOADABLE, false},
		{STEP_LOAD, CU_UNSUPPORTED_PTX, RESULT_UNLOADABLE, false},
		{STEP_LOAD, CU_NOT_FOUND, RESULT_UNLOADABLE, false},
		{STEP_LOAD, CU_OUT_OF_MEMORY, RESULT_OOM, false},
		{STEP_LOAD, CU_ILLEGAL_ADDRESS, RESULT_TROUBLE, true},
		{STEP_LOAD, 999, RESULT_TROUBLE, true},
		{STEP_LAUNCH, CU_INVALID_VALUE, RESULT_UNLAUNCHABLE, false},
		{STEP_LAUNCH, CU_OUT_OF_RESOURCES, RESULT_UNLAUNCHABLE, false},
		{STEP_LAUNCH, CU_COOPERATIVE_TOO_LARGE, RESULT_UNLAUNCHABLE, false},
		{STEP_LAUNCH, CU_NOT_SUPPORTED, RESULT_UNLAUNCHABLE, false},
		{STEP_LAUNCH, CU_INVALID_CLUSTER, RESULT_UNLAUNCHABLE, false},
		{STEP_LAUNCH, CU_OUT_OF_MEMORY, RESULT_OOM, false},
		{STEP_LAUNCH, CU_ILLEGAL_ADDRESS, RESULT_CRASHED, true},
		{STEP_RUN, CU_ILLEGAL_ADDRESS, RESULT_CRASHED, true},
		{STEP_RUN, CU_LAUNCH_TIMEOUT, RESULT_CRASHED, true},
		{STEP_RUN, CU_HARDWARE_STACK, RESULT_CRASHED, true},
		{STEP_RUN, CU_LAUNCH_FAILED, RESULT_CRASHED, true},
		{STEP_MEMORY, CU_OUT_OF_MEMORY, RESULT_OOM, false},
		{STEP_MEMORY, CU_INVALID_VALUE, RESULT_TROUBLE, false},
		{STEP_OPEN, CU_NO_DEVICE, RESULT_TROUBLE, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(
			cuda_step_status(cases[i].at, cases[i].code), cases[i].want);
		assert_int_equal(
			cuda_is_fatal(cases[i].at, cases[i].code), cases[i].fatal);
	}
}

/* A small whole ELF file: header, one section of 16 bytes, the section table. */
static void
elf_make(unsigned char e[64 + 16 + 64])
{
	uint64_t shoff = 80, offset = 64, size = 16;
	uint16_t shentsize = 64, shnum = 1;
	memset(e, 0, 144);
	memcpy(e, "\177ELF\2\1\1", 7);
	memcpy(e + 40, &shoff, 8);
	memcpy(e + 58, &shentsize, 2);
	memcpy(e + 60, &shnum, 2);
	e[80 + 4] = 1;
	memcpy(e + 80 + 24, &offset, 8);
	memcpy(e + 80 + 32, &size, 8);
}

static void
cubins(void **state)
{
	unsigned char e[144];
	struct str s = {(const char *)e, sizeof e};
	elf_make(e);
	assert_true(image_is_whole(s));
	for (size_t n = 0; n < sizeof e; n++)
		assert_false(image_is_whole(str_sub(s, 0, n)));
	memset(e + 40, 0xff, 8); /* the table starts past the end, and wraps */
	assert_false(image_is_whole(s));
	elf_make(e);
	memset(e + 80 + 32, 0xff, 8); /* a section longer than the file */
	assert_false(image_is_whole(s));
	e[80 + 4] = 8; /* one that takes no bytes may be */
	assert_true(image_is_whole(s));
	elf_make(e);
	e[60] = 0xff, e[61] = 0xff; /* too many sections */
	assert_false(image_is_whole(s));
	elf_make(e);
	e[56] = 1; /* a program header that is nowhere */
	assert_false(image_is_whole(s));
	assert_false(image_is_whole((struct str){0}));
}

/* A whole ELF file with one kernel, `k`, of one instruction. */
static struct str
kernel_make(unsigned char e[320], unsigned op)
{
	static const char names[] = "\0.text.k\0.shstrtab";
	const uint64_t table = 128, at[3][2] = {{0, 0}, {64, 16}, {80, sizeof names}};
	const uint32_t name[3] = {0, 1, 9};
	uint16_t size = 64, n = 3, strings = 2, word = (uint16_t)op;
	memset(e, 0, 320);
	memcpy(e, "\177ELF\2\1\1", 7);
	memcpy(e + 40, &table, 8);
	memcpy(e + 58, &size, 2);
	memcpy(e + 60, &n, 2);
	memcpy(e + 62, &strings, 2);
	memcpy(e + 64, &word, 2);
	memcpy(e + 80, names, sizeof names);
	for (size_t i = 1; i < 3; i++) {
		memcpy(e + table + 64 * i, &name[i], 4);
		e[table + 64 * i + 4] = 1;
		memcpy(e + table + 64 * i + 24, &at[i][0], 8);
		memcpy(e + table + 64 * i + 32, &at[i][1], 8);
	}
	return (struct str){(const char *)e, 320};
}

/* The upper bits of an instruction's name say which operands it has. */
static void
textures(void **state)
{
	struct arena a = {0};
	unsigned char e[320];
	struct str entry = STR_LIT("k");
	assert_string_equal(image_textures(&a, kernel_make(e, 0xb60), entry), "TEX");
	assert_string_equal(image_textures(&a, kernel_make(e, 0x99d), entry), "SUST");
	assert_null(image_textures(&a, kernel_make(e, 0x981), entry)); /* LDG */
	assert_true(image_is_whole(kernel_make(e, 0xb60)));
	assert_null(image_textures(&a, kernel_make(e, 0xb60), STR_LIT("other")));
	e[62] = 77; /* no such section: no names */
	assert_null(image_textures(&a, (struct str){(const char *)e, 320}, entry));
	assert_string_equal(
		image_textures(&a, STR_LIT("\t@%p1 txq.width.b32 %r1, [%rd1];"), entry),
		"txq.width.b32");
	assert_null(
		image_textures(&a, STR_LIT("\tst.global.u32 [context.x], 1;"), entry));
	arena_release(&a);
}

/* Different devices have different files, whatever their names are made of. */
static void
lease_names(void **state)
{
	struct arena a = {0};
	const char *long_name = str_fmt(&a, "%0200d", 1).s;
	assert_string_equal(lease_name(&a, STR_LIT("GPU-1"), "lock"), "gpu-GPU-1.lock");
	assert_string_equal(lease_name(&a, STR_LIT(""), "sock"), "gpu-default.sock");
	const char *odd = lease_name(&a, STR_LIT("GPU/1"), "lock");
	assert_null(strchr(odd, '/'));
	assert_string_not_equal(odd, lease_name(&a, STR_LIT("GPU.1"), "lock"));
	assert_true(strlen(lease_name(&a, str_of(long_name), "lock")) <= 80);
	arena_release(&a);
}

static void
lease_holders(void **state)
{
	static const char *const bad[] = {"", "x", "x y z", "x 0 1", "x -1 1",
		"x 99999999999 1", "x 1 ", "x 1 1 1"};
	struct arena a = {0};
	char name[] = "holder-XXXXXX";
	close(mkstemp(name));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		fs_write(name, str_of(bad[i]), NULL);
		struct lease_holder h = lease_read(&a, name);
		assert_int_equal(h.pid, 0);
		assert_false(lease_alive(&h));
	}
	fs_remove(name);
	assert_int_equal(lease_read(&a, name).pid, 0);
	arena_release(&a);
}

static void
leases(void **state)
{
	struct arena a = {0};
	struct str why = {0};
	char dir[] = "lease-XXXXXX";
	assert_non_null(mkdtemp(dir));
	const char *run = fs_join(&a, fs_cwd(&a), dir);
	setenv("XDG_RUNTIME_DIR", run, 1);
	int fd = lease_take(&a, STR_LIT("GPU-1/../2"), &why);
	assert_true(fd >= 0);
	const char *file = fs_join(&a, fs_join(&a, run, "lanewise"),
		lease_name(&a, STR_LIT("GPU-1/../2"), "lock"));
	assert_true(fs_exists(file));
	assert_int_equal(fs_lock(file, false), -1); /* taken */
	assert_int_equal(lease_try(&a, STR_LIT("GPU-1/../2"), &why), -1);
	assert_int_equal(why.n, 0);
	struct lease_holder h = lease_holder_of("test", getpid());
	lease_sign(fd, &h);
	h = lease_read(&a, file);
	assert_true(str_is(h.what, "test") && h.pid == getpid() && lease_alive(&h));
	h.start++; /* another process that had the same pid */
	assert_false(lease_alive(&h));
	lease_drop(fd);
	int again = fs_lock(file, false);
	assert_true(again >= 0);
	close(again);
	/* A folder that others can write is not trusted, nor is a link. */
	const char *ours = fs_join(&a, run, "lanewise");
	assert_int_equal(chmod(ours, 0777), 0);
	assert_int_equal(lease_take(&a, STR_LIT("x"), &why), -1);
	assert_true(why.n > 0);
	assert_int_equal(chmod(ours, 0700), 0);
	const char *link = fs_join(&a, run, "lanewise/gpu-link.lock");
	assert_int_equal(symlink("/dev/null", link), 0);
	assert_int_equal(lease_take(&a, STR_LIT("link"), &why), -1);
	fs_remove(link);
	fs_remove(file);
	assert_int_equal(rmdir(ours), 0);
	assert_int_equal(symlink("/tmp", ours), 0);
	assert_int_equal(lease_take(&a, STR_LIT("x"), &why), -1);
	fs_remove(ours);
	rmdir(dir);
	/* No runtime folder: a private one in /tmp. */
	assert_true(
		str_starts(str_of(lease_folder(&a, "/no/such", &why)), "/tmp/lanewise-"));
	assert_true(
		str_starts(str_of(lease_folder(&a, "relative", &why)), "/tmp/lanewise-"));
	arena_release(&a);
}

static void
texts(void **state)
{
	struct arena a = {0};
	static const unsigned char id[16] = {0x49, 0x3f, 0x06, 0xb3, 0x7f, 0x9b, 0x27,
		0x54, 0x0c, 0x40, 0x94, 0x63, 0xd7, 0xa5, 0x60, 0x64};
	assert_string_equal(str_c(&a, cuda_uuid_text(&a, id)),
		"GPU-493f06b3-7f9b-2754-0c40-9463d7a56064");
	struct str v = nvml_find_version(STR_LIT(
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  "
		"Release Build\nGCC version:  gcc version 12.2.0\n"));
	assert_true(str_is(v, "580.159.04"));
	assert_int_equal(nvml_find_version(STR_LIT("x86_64 v1.2 5 . 1. .1")).n, 0);
	assert_int_equal(nvml_find_version(STR_LIT("")).n, 0);
	arena_release(&a);
}

static void
count_body(void *ctx, unsigned part, uint64_t from, uint64_t to)
{
	unsigned char *seen = ctx;
	assert_true(part < PARALLEL_MAX);
	for (uint64_t i = from; i < to; i++)
		seen[i]++;
}

static void
parallel_covers_once(void **state)
{
	static const uint64_t sizes[] = {0, 1, 2, 15, 16, 17, 1000, 4097};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		unsigned char seen[4097] = {0};
		parallel_for(sizes[i], 1, count_body, seen);
		for (uint64_t j = 0; j < sizeof seen; j++)
			assert_int_equal(seen[j], j < sizes[i]);
	}
}

/* On a machine with no driver, the reason is told; with one, a device is described. */
static void
probing(void **state)
{
	struct arena a = {0};
	struct str why = {0};
	struct device *d = backend_cuda.probe(&a, STR_LIT(""), &why);
	assert_true(d ? d->uuid.n == 40 && d->sm_count > 0 : why.n > 0);
	assert_null(backend_cuda.probe(&a, STR_LIT("GPU-no-such"), &why));
	assert_true(why.n > 0);
	assert_ptr_equal(backend_find(STR_LIT("cuda")), &backend_cuda);
	assert_null(backend_find(STR_LIT("model")));
	arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(struct_layouts),
		cmocka_unit_test(statuses),
		cmocka_unit_test(cubins),
		cmocka_unit_test(textures),
		cmocka_unit_test(lease_names),
		cmocka_unit_test(lease_holders),
		cmocka_unit_test(leases),
		cmocka_unit_test(texts),
		cmocka_unit_test(parallel_covers_once),
		cmocka_unit_test(probing),
	};
	return cmocka_run_group_tests_name("backend", tests, NULL, NULL);
}
