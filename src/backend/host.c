#include "backend/backend.h"
#include "backend/session.h"
#include "base/arena.h"
#include "base/cpu.h"
#include "base/fs.h"
#include "base/hash.h"

#include <sys/utsname.h>

/* Two machines with equal processors are two devices: results do not port. */
static struct str
uuid_of(struct arena *a, const struct cpu *cpu)
{
	struct str id = {0};
	struct utsname u;

	if (!fs_try_read(a, "/etc/machine-id", &id) && uname(&u) == 0)
		id = str_dup(a, str_of(u.nodename));
	return str_fmt(
		a, "CPU-%.*s-%s", STR_ARG(cpu->identity), hash_short(a, str_trim(id), 8));
}

static struct device *
probe(struct arena *a, struct str which, struct str *why)
{
	struct cpu cpu = cpu_here(a);
	struct device *dev = arena_new(a, struct device);
	struct utsname u;
	int allowed[CPUS_MAX];
	int64_t n = (int64_t)cpu_allowed(allowed);

	if (which.n && !str_is(which, "host")) {
		*why = STR_LIT("this machine's processors are one device, 'host'");
		return NULL;
	}
	if (n == 0) {
		*why = STR_LIT("the kernel does not tell which processors may be used");
		return NULL;
	}
	*dev = (struct device){.name = str_fmt(a, "%.*s, %lld CPU%s", STR_ARG(cpu.name),
				       (long long)n, str_plural(n)),
		.uuid = uuid_of(a, &cpu),
		.driver = STR_LIT("Linux"),
		.backend = STR_LIT("host"),
		.sm_count = n,
		.warp_size = 1,
		.max_threads_per_block = n,
		.max_block_dim = {n, 1, 1},
		.max_grid_dim = {1, 1, 1},
		.l2_bytes = cpu.l2_bytes,
		.sm_clock_mhz = cpu.max_mhz,
		.max_cluster_blocks = 1};
	if (uname(&u) == 0)
		dev->driver = str_fmt(a, "%s %s", u.sysname, u.release);
	return dev;
}

const struct backend backend_host = {.name = "host",
	.about = "the processors of this machine, for kernels in C",
	.probe = probe,
	.ops = &host_session,
	.kind = RESULT_MEASURED};
