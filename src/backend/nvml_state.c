#include "backend/nvml_state.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/dl.h"

#include <math.h>
#include <unistd.h>

/*
 * nvml.h of CUDA 13.0: nvmlReturn_t is an enum (0 NVML_SUCCESS, 7
 * NVML_ERROR_INSUFFICIENT_SIZE), nvmlDevice_t a pointer, enums are passed as int.
 */
enum {
	NVML_OK = 0,
	NVML_TOO_SMALL = 7,
	NVML_CLOCK_SM = 1,
	NVML_CLOCK_MEM = 2,
	NVML_TEMPERATURE_GPU = 0,
	NVML_MIG_ON = 1,
};

struct process { /* nvmlProcessInfo_t, as the functions of versions 2 and 3 fill it */
	unsigned pid;
	unsigned long long used_bytes;
	unsigned gpu_instance, compute_instance;
};

typedef struct nvml_device *device;

struct nvml {
	device dev;
	bool mig; /* the device is an instance of one */
	int (*clock)(device d, int which, unsigned *mhz);
	int (*reasons)(device d, unsigned long long *bits);
	int (*reasons_old)(device d, unsigned long long *bits);
	int (*temperature)(device d, int sensor, unsigned *celsius);
	int (*power)(device d, unsigned *milliwatts);
	int (*power_limit)(device d, unsigned *milliwatts);
	int (*energy)(device d, unsigned long long *millijoules);
	int (*mig_mode)(device d, unsigned *current, unsigned *pending);
	int (*processes)(device d, unsigned *n, struct process *v);
	int (*processes_old)(device d, unsigned *n, struct process *v);
};

/* An instance of a card in MIG mode has its own UUID: "MIG-..." with the same digits. */
static device
find(struct arena *a, int (*by_uuid)(const char *uuid, device *d), struct str uuid,
	bool *mig)
{
	device d = NULL;
	*mig = false;
	if (by_uuid(str_c(a, uuid), &d) == NVML_OK)
		return d;
	*mig = true;
	struct str digits = str_sub(uuid, strlen("GPU-"), uuid.n);
	return by_uuid(str_fmt(a, "MIG-%.*s", STR_ARG(digits)).s, &d) == NVML_OK ? d
										 : NULL;
}

/* Stays open until the process ends. */
struct nvml *
nvml_open(struct arena *a, struct str uuid)
{
	static const char *const names[] = {"libnvidia-ml.so.1", NULL};
	struct nvml *n = arena_new(a, struct nvml);
	int (*init)(void);
	int (*by_uuid)(const char *uuid, device *d);
	const struct dl_symbol table[] = {
		{"nvmlInit_v2", &init, false},
		{"nvmlDeviceGetHandleByUUID", &by_uuid, false},
		{"nvmlDeviceGetClockInfo", &n->clock, true},
		{"nvmlDeviceGetCurrentClocksEventReasons", &n->reasons, true},
		{"nvmlDeviceGetCurrentClocksThrottleReasons", &n->reasons_old, true},
		{"nvmlDeviceGetTemperature", &n->temperature, true},
		{"nvmlDeviceGetPowerUsage", &n->power, true},
		{"nvmlDeviceGetEnforcedPowerLimit", &n->power_limit, true},
		{"nvmlDeviceGetTotalEnergyConsumption", &n->energy, true},
		{"nvmlDeviceGetMigMode", &n->mig_mode, true},
		{"nvmlDeviceGetComputeRunningProcesses_v3", &n->processes, true},
		{"nvmlDeviceGetComputeRunningProcesses_v2", &n->processes_old, true},
	};
	struct dl lib = dl_open(a, names, table, sizeof table / sizeof *table);
	if (!lib.handle || init() != NVML_OK)
		return NULL;
	n->dev = find(a, by_uuid, uuid, &n->mig);
	return n->dev ? n : NULL;
}

/* --- numbers ------------------------------------------------------------------------ */

static double
clock_of(const struct nvml *n, int which)
{
	unsigned mhz;
	bool ok = n && n->clock && n->clock(n->dev, which, &mhz) == NVML_OK;
	return ok ? (double)mhz : (double)NAN;
}

static double
milli(const struct nvml *n, int (*f)(device d, unsigned *v))
{
	unsigned v;
	return n && f && f(n->dev, &v) == NVML_OK ? (double)v / 1e3 : (double)NAN;
}

static double
celsius(const struct nvml *n)
{
	unsigned v;
	bool ok = n && n->temperature &&
		  n->temperature(n->dev, NVML_TEMPERATURE_GPU, &v) == NVML_OK;
	return ok ? (double)v : (double)NAN;
}

static double
energy(const struct nvml *n)
{
	unsigned long long v;
	bool ok = n && n->energy && n->energy(n->dev, &v) == NVML_OK;
	return ok ? (double)v / 1e3 : (double)NAN;
}

static uint32_t
reasons(const struct nvml *n)
{
	unsigned long long bits = 0;
	if (n && n->reasons && n->reasons(n->dev, &bits) == NVML_OK)
		return (uint32_t)bits;
	if (n && n->reasons_old && n->reasons_old(n->dev, &bits) == NVML_OK)
		return (uint32_t)bits;
	return 0;
}

void
nvml_reading(const struct nvml *n, struct reading *out)
{
	out->power_w = milli(n, n ? n->power : NULL);
	out->celsius = celsius(n);
	out->reasons = reasons(n);
}

void
nvml_state(const struct nvml *n, struct device_state *out)
{
	out->sm_mhz = clock_of(n, NVML_CLOCK_SM);
	out->memory_mhz = clock_of(n, NVML_CLOCK_MEM);
	out->power_w = milli(n, n ? n->power : NULL);
	out->power_limit_w = milli(n, n ? n->power_limit : NULL);
	out->celsius = celsius(n);
	out->energy_j = energy(n);
	out->reasons = reasons(n);
}

/* --- who else is there -------------------------------------------------------------- */

enum { PROCESSES_MAX = 64, PROCESSES_SHOWN = 4 };

/* False when the driver does not list them. */
static bool
list(const struct nvml *n, struct process *v, unsigned *count)
{
	int (*const f[])(device d, unsigned *n, struct process *v) = {
		n->processes, n->processes_old};
	for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
		*count = PROCESSES_MAX;
		int e = f[i] ? f[i](n->dev, count, v) : -1;
		if (e == NVML_OK || e == NVML_TOO_SMALL)
			return true;
	}
	return false;
}

static struct str
others_text(struct arena *a, const struct process *v, unsigned count, unsigned self)
{
	struct buf b = {.a = a};
	unsigned shown = 0;
	for (unsigned i = 0; i < count; i++) {
		if (v[i].pid == self)
			continue;
		if (shown++ < PROCESSES_SHOWN)
			buf_addf(&b, "%s pid %u", b.n ? "," : "shared:", v[i].pid);
	}
	if (shown > PROCESSES_SHOWN)
		buf_addf(&b, " and %u more", shown - PROCESSES_SHOWN);
	return b.n ? buf_str(&b) : STR_LIT("exclusive");
}

/*
 * In a container or a virtual machine the list may be empty, or have the numbers of
 * another name space: it means something only when this process is in it.
 */
static struct str
processes_text(const struct nvml *n, struct arena *a)
{
	struct process v[PROCESSES_MAX] = {{0}};
	unsigned count = 0, self = (unsigned)getpid();
	if (!list(n, v, &count))
		return STR_LIT("unknown: the driver lists no processes");
	if (count > PROCESSES_MAX)
		return str_fmt(a, "shared: %u processes", count);
	for (unsigned i = 0; i < count; i++) {
		if (v[i].pid == self)
			return others_text(a, v, count, self);
	}
	return STR_LIT("unknown: this process is not in the driver's list");
}

struct str
nvml_sharing(const struct nvml *n, struct arena *a)
{
	unsigned current = 0, pending;
	if (!n)
		return STR_LIT("unknown: NVML does not answer");
	if (n->mig ||
		(n->mig_mode && n->mig_mode(n->dev, &current, &pending) == NVML_OK &&
			current == NVML_MIG_ON))
		return STR_LIT("mig");
	return processes_text(n, a);
}
