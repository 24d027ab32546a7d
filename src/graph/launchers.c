#include "graph/launchers.h"

#include "base/fs.h"
#include "format/json.h"

/* An empty option is none, whatever the spec says. */
static struct str
chosen(const char *option, struct str of_spec)
{
	return str_trim(option ? str_of(option) : of_spec);
}

/* A replay measures nothing, so there is nothing to launch. */
static struct str
chosen_device(const struct graph_opts *o, const struct spec *spec)
{
	struct str none = {0};
	if (o->replay)
		return none;
	return chosen(o->device_launcher, spec->device_launcher.s);
}

bool
launchers_measure(const struct graph_opts *o, const struct spec *spec)
{
	return chosen_device(o, spec).n > 0;
}

void
launchers_write(struct arena *a, const struct graph_opts *o, const struct spec *spec,
	const char *program)
{
	struct json_out out = {.b = {.a = a}};
	struct str cpu = chosen(o->launcher, spec->launcher.s);
	struct str device = chosen_device(o, spec);
	if (!cpu.n && !device.n) {
		fs_remove(LAUNCH_FILE);
		return;
	}
	json_open_object(&out, NULL);
	json_put_str(&out, "schema", STR_LIT("lanewise/launch.v1"));
	json_put_str(&out, "program", str_of(program));
	json_put_str(&out, "launcher", cpu);
	json_put_str(&out, "device_launcher", device);
	json_close_object(&out);
	fs_write(LAUNCH_FILE, json_done(&out), NULL);
}
