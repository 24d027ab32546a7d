/* NVML, as far as backend/nvml.c and nvml_state.c ask it. */
#include "fake/fake.h"

#include <stdlib.h>
#include <unistd.h>

/* The same words as the driver's; this library has a copy of its own. */
static uint64_t
word(const char *name, uint64_t absent)
{
	const char *at = getenv("LANEWISE_FAKE");
	size_t n = strlen(name);
	while (at && *at) {
		size_t length = strcspn(at, ",");
		if (strncmp(at, name, n) == 0 && (length == n || at[n] == '='))
			return at[n] == '=' ? strtoull(at + n + 1, NULL, 0) : 1;
		at += length + (at[length] == ',');
	}
	return absent;
}

FAKE_EXPORT int nvmlInit_v2(void);
FAKE_EXPORT int nvmlShutdown(void);
FAKE_EXPORT int nvmlSystemGetDriverVersion(char *text, unsigned n);
FAKE_EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **d);

int
nvmlInit_v2(void)
{
	return word("nonvml", 0) ? 9 : 0; /* NVML_ERROR_DRIVER_NOT_LOADED */
}

int
nvmlShutdown(void)
{
	return 0;
}

int
nvmlSystemGetDriverVersion(char *text, unsigned n)
{
	static const char version[] = "999.1.2";
	memcpy(text, version, n < sizeof version ? n : sizeof version);
	return 0;
}

/* A card in MIG mode has no device of the UUID that CUDA sees but the instance. */
int
nvmlDeviceGetHandleByUUID(const char *uuid, void **d)
{
	static int card;
	*d = &card;
	return strncmp(uuid, word("mig", 0) == 2 ? "MIG-fafa" : "GPU-fafa", 8) == 0 ? 0
										    : 6;
}

#ifndef FAKE_BARE
struct process {
	unsigned pid;
	unsigned long long used;
	unsigned gpu_instance, compute_instance;
};

FAKE_EXPORT int nvmlDeviceGetClockInfo(void *d, int which, unsigned *mhz);
FAKE_EXPORT int nvmlDeviceGetCurrentClocksEventReasons(void *d, unsigned long long *v);
FAKE_EXPORT int nvmlDeviceGetTemperature(void *d, int sensor, unsigned *v);
FAKE_EXPORT int nvmlDeviceGetPowerUsage(void *d, unsigned *v);
FAKE_EXPORT int nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned *v);
FAKE_EXPORT int nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *v);
FAKE_EXPORT int nvmlDeviceGetMigMode(void *d, unsigned *current, unsigned *pending);
FAKE_EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(
	void *d, unsigned *n, struct process *v);

int
nvmlDeviceGetClockInfo(void *d, int which, unsigned *mhz)
{
	(void)d;
	*mhz = which == 1 ? 1980 : 3201;
	return 0;
}

int
nvmlDeviceGetCurrentClocksEventReasons(void *d, unsigned long long *v)
{
	(void)d;
	*v = word("reasons", 0);
	return 0;
}

int
nvmlDeviceGetTemperature(void *d, int sensor, unsigned *v)
{
	(void)d;
	*v = 45;
	return sensor;
}

int
nvmlDeviceGetPowerUsage(void *d, unsigned *v)
{
	(void)d;
	*v = 300500;
	return 0;
}

int
nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned *v)
{
	(void)d;
	*v = 700000;
	return 0;
}

int
nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *v)
{
	static unsigned long long millijoules = 1000000;
	(void)d;
	*v = millijoules += 1500;
	return 0;
}

int
nvmlDeviceGetMigMode(void *d, unsigned *current, unsigned *pending)
{
	(void)d;
	*current = *pending = word("mig", 0) != 0;
	return 0;
}

int
nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *n, struct process *v)
{
	unsigned room = *n, others = (unsigned)word("others", 0);
	(void)d;
	*n = others + !word("hidden", 0);
	if (*n > room)
		return 7; /* NVML_ERROR_INSUFFICIENT_SIZE */
	for (unsigned i = 0; i < *n; i++)
		v[i] = (struct process){
			i < others ? 4000000 + i : (unsigned)getpid(), 0, 0, 0};
	return 0;
}
#endif
