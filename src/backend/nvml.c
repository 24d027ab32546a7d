#include "backend/nvml.h"

#include "base/arena.h"
#include "base/dl.h"
#include "base/fs.h"

/* nvml.h of CUDA 13.0: nvmlReturn_t is an enum whose NVML_SUCCESS is 0. */
struct nvml_api {
	int (*init)(void);
	int (*driver_version)(char *text, unsigned n);
	int (*shutdown)(void);
};

enum { VERSION_MAX = 80 }; /* NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE */

static struct str
from_library(struct arena *a)
{
	static const char *const names[] = {"libnvidia-ml.so.1", NULL};
	struct nvml_api api;
	const struct dl_symbol table[] = {
		{"nvmlInit_v2", &api.init, false},
		{"nvmlSystemGetDriverVersion", &api.driver_version, false},
		{"nvmlShutdown", &api.shutdown, false},
	};
	struct dl lib = dl_open(a, names, table, sizeof table / sizeof *table);
	char text[VERSION_MAX + 1] = {0};
	if (!lib.handle || api.init() != 0)
		return (struct str){0};
	if (api.driver_version(text, VERSION_MAX) != 0)
		text[0] = 0;
	api.shutdown();
	return str_dup(a, str_of(text));
}

struct str
nvml_find_version(struct str text)
{
	struct str word;
	for (size_t i = 0; i < text.n; i++) {
		bool start = i == 0 || text.s[i - 1] == ' ' || text.s[i - 1] == '\t';
		size_t j = i, dots = 0;
		for (; j < text.n &&
			((text.s[j] >= '0' && text.s[j] <= '9') || text.s[j] == '.');
			j++)
			dots += text.s[j] == '.';
		word = str_sub(text, i, j);
		bool ends = j == text.n || text.s[j] == ' ' || text.s[j] == '\n';
		if (start && ends && dots && word.s[0] != '.' &&
			word.s[word.n - 1] != '.')
			return word;
	}
	return (struct str){0};
}

struct str
nvml_driver_version(struct arena *a)
{
	struct str s = from_library(a), text;
	if (s.n == 0 && fs_try_read(a, "/proc/driver/nvidia/version", &text))
		s = nvml_find_version(text);
	return s;
}
