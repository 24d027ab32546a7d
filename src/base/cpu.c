#include "base/cpu.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/hash.h"

#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* --- what they are ------------------------------------------------------------------ */

/* What decides which instructions there are: the keys of x86, Arm, and RISC-V. */
static const char *const identifying[] = {"vendor_id", "cpu family", "model",
	"model name", "stepping", "flags", "CPU implementer", "CPU architecture",
	"CPU variant", "CPU part", "Features", "isa", "uarch"};

static bool
identifies(struct str key)
{
	for (size_t i = 0; i < sizeof identifying / sizeof *identifying; i++)
		if (str_is(key, identifying[i]))
			return true;
	return false;
}

/* Lines "KEY : VALUE" of the first processor; processors are parted by empty lines. */
static void
read_cpuinfo(struct arena *a, struct cpu *cpu, struct buf *identity)
{
	struct str text, line, key;

	if (!fs_try_read(a, "/proc/cpuinfo", &text))
		return;
	while (str_line(&text, &line) && str_trim(line).n) {
		struct str value = line;
		if (!str_split(&value, ':', &key))
			continue;
		key = str_trim(key);
		value = str_trim(value);
		if (str_is(key, "model name"))
			cpu->name = value;
		if (identifies(key))
			buf_addf(identity, "%.*s=%.*s\n", STR_ARG(key), STR_ARG(value));
	}
}

static int64_t
max_mhz(struct arena *a)
{
	static const char file[] =
		"/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq";
	struct str text;
	int64_t khz;

	if (!fs_try_read(a, file, &text) || !str_to_i64(str_trim(text), &khz) || khz < 0)
		return 0;
	return khz / 1000;
}

struct cpu
cpu_here(struct arena *a)
{
	struct cpu cpu = {0};
	struct buf identity = {.a = a};
	struct utsname u;
	long l2 = 0;

	read_cpuinfo(a, &cpu, &identity);
	if (uname(&u) == 0) {
		buf_adds(&identity, u.machine);
		if (!cpu.name.n)
			cpu.name = str_dup(a, str_of(u.machine));
	}
#ifdef _SC_LEVEL2_CACHE_SIZE
	l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
	cpu.l2_bytes = l2 > 0 ? l2 : 0;
	cpu.identity = str_of(hash_short(a, buf_str(&identity), 16));
	cpu.max_mhz = max_mhz(a);
	return cpu;
}

unsigned
cpu_online(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (unsigned)n : 1;
}

/* --- which of them a thread runs on ------------------------------------------------- */

/* The kernel's mask: bit n % B of word n / B. */
enum { WORD_BITS = 8 * sizeof(unsigned long), WORDS = CPUS_MAX / WORD_BITS };

size_t
cpu_allowed(int v[CPUS_MAX])
{
	unsigned long mask[WORDS] = {0};
	size_t n = 0;

	if (syscall(SYS_sched_getaffinity, 0, sizeof mask, mask) < 0)
		return 0;
	for (int i = 0; i < CPUS_MAX; i++)
		if (mask[i / WORD_BITS] >> (i % WORD_BITS) & 1)
			v[n++] = i;
	return n;
}

bool
cpu_bind(const int *v, size_t n)
{
	unsigned long mask[WORDS] = {0};

	for (size_t i = 0; i < n; i++)
		mask[v[i] / WORD_BITS] |= 1UL << (v[i] % WORD_BITS);
	return syscall(SYS_sched_setaffinity, 0, sizeof mask, mask) == 0;
}
