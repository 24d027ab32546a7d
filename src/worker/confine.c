#include "worker/confine.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef ARCH

#define LOAD(member) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
/* Skips so many instructions if what was loaded is this. */
#define IF(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (skip), 0)
#define RETURN(what)    BPF_STMT(BPF_RET | BPF_K, (what))

/* The calls whose first argument is a process; a thread or a descriptor of one is never
 * asked for by the C library to signal oneself.  Who traces a process can stop it, and
 * would hold up every run on the device. */
void
confine_signals(void)
{
	struct sock_filter code[] = {
		LOAD(arch),
		IF(ARCH, 1),
		RETURN(SECCOMP_RET_ALLOW),
		LOAD(nr),
		IF(__NR_kill, 8),
		IF(__NR_tgkill, 7),
		IF(__NR_rt_sigqueueinfo, 6),
		IF(__NR_rt_tgsigqueueinfo, 5),
		IF(__NR_tkill, 3),
		IF(424, 2), /* pidfd_send_signal, on every architecture */
		IF(__NR_ptrace, 1),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(SECCOMP_RET_TRAP),
		LOAD(args[0]),
		IF((uint32_t)getpid(), 1),
		RETURN(SECCOMP_RET_TRAP),
		RETURN(SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof code / sizeof code[0], code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

#else

void
confine_signals(void)
{
}

#endif
