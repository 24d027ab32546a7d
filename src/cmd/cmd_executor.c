#include "base/arena.h"
#include "base/die.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "worker/execute.h"

static const char *device_file, *job_file;

static const struct opt opts[] = {
	{"device", 'd', OPT_STR, &device_file, "FILE", "device.json of the project"},
	{"job", 'j', OPT_STR, &job_file, "FILE",
		"run this one job (lanewise/job.v1) and print its answer"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise executor --device FILE --job FILE",
	.about = "Runs one job on a device, in this process: for debuggers, profilers "
		 "and checkers.\n"
		 "There are no deadlines and no lease.  Steps and what the kernel prints "
		 "go to\n"
		 "standard error.  Without options it serves a worker, which is "
		 "standard input then.",
	.after = "Exit status: 0 the job is ok; 1 it is not, as its answer says; 2 "
		 "trouble.",
};

static int
run(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};

	if (argc == 0)
		return execute_jobs(&engine_measure, 0);
	opt_parse(a, &usage, opts, &argc, &argv);
	if (argc || !device_file || !job_file)
		opt_fail(&usage, "'--device FILE' and '--job FILE' are needed");
	const struct device *dev = device_read(a, device_file, &d);
	return dev ? execute_job(a, &engine_measure, dev, job_file) : EXIT_TROUBLE;
}

const struct command cmd_executor = {
	.name = "executor",
	.about = "run one job on a device (a worker calls this)",
	.run = run,
	.hidden = true,
};
