#include "base/arena.h"
#include "base/buf.h"
#include "base/die.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/opt.h"
#include "base/shown.h"
#include "cache/archive.h"
#include "cache/keyscan.h"
#include "cache/quota.h"
#include "cache/store.h"
#include "cmd/cache_remote.h"
#include "cmd/cmd.h"
#include "cmd/node_table.h"
#include "graph/edge.h"
#include "graph/printer.h"

#include <errno.h>
#include <unistd.h>

static const char *max_size, *limit_size;
static bool remove_damaged, of_remote, push_all;

static const struct opt opts[] = {
	{"max", 0, OPT_STR, &max_size, "SIZE",
		"prune: keep no more than this (500M, 2G); default: the limit"},
	{"limit", 0, OPT_STR, &limit_size, "SIZE",
		"prune: from now on the cache holds no more than this"},
	{"remove", 0, OPT_FLAG, &remove_damaged, NULL, "verify: remove what is damaged"},
	{"remote", 0, OPT_FLAG, &of_remote, NULL,
		"verify: what the remote cache has of the entries that are here"},
	{"all", 0, OPT_FLAG, &push_all, NULL,
		"push: every entry that is here, not only those that wait"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise cache stats\n"
		    "       lanewise cache why OUTPUT\n"
		    "       lanewise cache verify [--remove] [--remote]\n"
		    "       lanewise cache prune [--max SIZE] [--limit SIZE]\n"
		    "       lanewise cache export FILE\n"
		    "       lanewise cache import FILE\n"
		    "       lanewise cache push [--all]",
	.about = "Looks after the store of finished work: .lanewise/cache, or the folder "
		 "that\n"
		 "LANEWISE_CACHE names.  'stats' says what is in it; 'why' compares the "
		 "key "
		 "of the\n"
		 "node that makes OUTPUT, a file of the graph, with the nearest one that "
		 "is "
		 "there, or\n"
		 "shows the key of the entry of that name; 'verify' reads all "
		 "of "
		 "it and\n"
		 "names what is damaged, which is never used; 'prune' removes what was "
		 "used "
		 "longest\n"
		 "ago; 'export' packs it into one file, 'import' takes all of such a "
		 "file, "
		 "verified,\n"
		 "or nothing; 'push' stores in the remote cache (LANEWISE_REMOTE) what "
		 "was made here\n"
		 "by plain ninja, or while it was away.",
	.after = "Exit status: 0 done; 1 'verify' found damage, 'why' a miss, 'push' did "
		 "not store\n"
		 "all; 2 trouble.",
};

static void
need_cache(const char *root)
{
	if (!fs_is_dir(root))
		die("there is no cache at '%s'; 'lanewise tune' makes one, "
		    "LANEWISE_CACHE "
		    "names another",
			root);
}

static const char *
size_text(struct arena *a, uint64_t bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	double n = (double)bytes;
	size_t u = 0;
	for (; n >= 1024 && u + 1 < sizeof units / sizeof units[0]; u++)
		n /= 1024;
	return str_fmt(a, u ? "%.1f %s" : "%.0f %s", n, units[u]).s;
}

static void
say_amount(struct arena *a, const char *done, struct quota q)
{
	printf("%s %llu %s, %s\n", done, (unsigned long long)q.entries,
		q.entries == 1 ? "entry" : "entries", size_text(a, q.bytes));
}

struct kinds {
	struct map names;
	struct quota *v;
	size_t cap;
};

static void
count_kind(struct arena *a, struct kinds *k, struct str name, uint64_t bytes)
{
	bool added;
	size_t n = k->names.n;
	size_t i = map_put(&k->names, str_dup(a, name), &added);
	if (added) {
		arena_grow(a, k->v, n, k->cap);
		k->v[i] = (struct quota){0};
	}
	k->v[i].entries++;
	k->v[i].bytes += bytes;
}

static int
stats(struct arena *a, const char *root)
{
	need_cache(root);
	struct shelf s = shelf_read(a, root, SHELF_ALL);
	struct kinds k = {.names.a = a};
	struct quota all = {.entries = s.n};
	for (size_t i = 0; i < s.n; i++) {
		struct arena scan = {0};
		struct str name = keyscan_node(keyscan_read(&scan, root, s.v[i].hex));
		count_kind(a, &k, name.n ? name : STR_LIT("(damaged)"), s.v[i].bytes);
		all.bytes += s.v[i].bytes;
		arena_release(&scan);
	}
	printf("%s\n", root);
	say_amount(a, "holds", all);
	printf("limit %s\n", size_text(a, quota_limit(root)));
	for (size_t i = 0; i < k.names.n; i++) {
		struct str name = shown_text(a, k.names.keys[i]);
		printf("  %-10.*s %8llu  %s\n", STR_ARG(name),
			(unsigned long long)k.v[i].entries, size_text(a, k.v[i].bytes));
	}
	cache_remote_stats(a);
	return EXIT_YES;
}

/* Only what differs, and how much does not. */
static void
print_difference(struct str diff)
{
	struct str line;
	size_t equal = 0;
	while (str_line(&diff, &line)) {
		if (line.s[0] == ' ')
			equal++;
		else
			shown_print(stdout, line), putchar('\n');
	}
	printf("%zu further lines are equal\n", equal);
}

static int
why(struct arena *a, const char *root, const char *word)
{
	char hex[HASH_HEX + 1];
	struct str key, found, text, reason;
	struct shelf_entry near;
	const char *wrong;
	need_cache(root);
	if (shelf_is_name(str_of(word))) {
		key = keyscan_read(a, root, word);
		if (!key.n)
			die("there is no entry '%s'", store_path(a, root, word));
		shown_print_lines(stdout, key);
		return EXIT_YES;
	}
	if (!edge_key(a, word, node_table, &key, &reason))
		die("%.*s", STR_ARG(reason));
	hash_hex(hash_bytes(key), hex);
	if (store_check(a, root, hex, &text, &found, &wrong)) {
		printf("hit: '%s' is in the cache as %s\n", shown_c(a, str_of(word)),
			hex);
		return EXIT_YES;
	}
	printf("miss: %s%s%s\n", store_path(a, root, hex), wrong ? ": " : " is not there",
		wrong ? wrong : "");
	cache_remote_why(a, hex);
	if (!keyscan_nearest(a, root, key, &near, &found)) {
		printf("there is nothing of node '%.*s' in the cache\n",
			STR_ARG(keyscan_node(key)));
		return EXIT_NO;
	}
	printf("the nearest is %s ('-' is in its key, '+' is wanted):\n", near.hex);
	print_difference(keyscan_diff(a, found, key));
	return EXIT_NO;
}

/* A folder may hold what somebody wants. */
static const char *
remove_entry(const char *path)
{
	if (unlink(path) == 0 || errno == ENOENT)
		return "; removed";
	if (errno != EISDIR)
		die("cannot remove '%s': %s", path, strerror(errno));
	return "; not removed, 'rm -r' does";
}

static bool
is_sound(struct arena *a, const char *root, const char *hex)
{
	struct arena one = {0};
	struct str text, key;
	const char *why, *path = store_path(a, root, hex);
	bool sound = store_check(&one, root, hex, &text, &key, &why);
	if (!sound)
		printf("%s: %s%s\n", path, why ? why : "it is gone",
			remove_damaged ? remove_entry(path) : "");
	arena_release(&one);
	return sound;
}

static int
verify(struct arena *a, const char *root)
{
	need_cache(root);
	if (of_remote)
		return cache_remote_verify(a, root);
	struct shelf s = shelf_read(a, root, SHELF_ALL);
	size_t bad = 0, all = s.n + s.n_others;
	for (size_t i = 0; i < s.n; i++) {
		if (is_sound(a, root, s.v[i].hex))
			continue;
		bad++;
		if (remove_damaged)
			quota_add(root, s.v[i].hex, -1, -(int64_t)s.v[i].bytes);
	}
	for (size_t i = 0; i < s.n_others; i++) /* in no count */
		bad += !is_sound(a, root, s.others[i]);
	printf("%zu of %zu entries are sound%s\n", all - bad, all,
		bad && !remove_damaged
			? "; the others are never used, '--remove' removes them"
			: "");
	return bad ? EXIT_NO : EXIT_YES;
}

static uint64_t
size_of(const char *option, const char *text)
{
	uint64_t bytes;
	if (!quota_parse(str_of(text), &bytes))
		opt_fail(&usage, "'%s' wants a size such as 500M or 2G, not '%s'", option,
			text);
	return bytes;
}

static int
prune(struct arena *a, const char *root)
{
	struct quota left;
	uint64_t limit = limit_size ? size_of("--limit", limit_size) : 0;
	uint64_t keep = max_size ? size_of("--max", max_size) : 0;
	need_cache(root);
	if (limit_size && !quota_set_limit(a, root, limit))
		die("cannot write '%s/limit': %s", root, strerror(errno));
	if (!max_size)
		keep = quota_limit(root);
	struct quota gone = quota_prune(root, keep, &left);
	say_amount(a, "removed", gone);
	say_amount(a, "left", left);
	return EXIT_YES;
}

static int
export_to(struct arena *a, const char *root, const char *file)
{
	struct quota out;
	struct str why;
	size_t damaged;
	need_cache(root);
	if (!archive_export(a, root, fs_need_file(a, file), &out, &damaged, &why))
		die("%.*s", STR_ARG(why));
	if (damaged)
		warn("%zu damaged entries were left out", damaged);
	say_amount(a, "exported", out);
	return EXIT_YES;
}

static int
import_from(struct arena *a, const char *root, const char *file)
{
	struct quota in;
	struct str why;
	if (!archive_import(a, root, file, &in, &why))
		die("%.*s", STR_ARG(why));
	say_amount(a, "imported", in);
	return EXIT_YES;
}

static int
push(struct arena *a, const char *root)
{
	need_cache(root);
	return cache_remote_push(a, root, push_all);
}

static const struct {
	const char *name;
	int (*alone)(struct arena *a, const char *root);
	int (*with)(struct arena *a, const char *root, const char *word);
	const char *word; /* what `with` takes */
} actions[] = {
	{"stats", stats, NULL, NULL},
	{"why", NULL, why, "OUTPUT"},
	{"verify", verify, NULL, NULL},
	{"prune", prune, NULL, NULL},
	{"export", NULL, export_to, "FILE"},
	{"import", NULL, import_from, "FILE"},
	{"push", push, NULL, NULL},
};

static int
run(struct arena *a, int argc, char **argv)
{
	const char *root = node_cache(CACHE_DIR);
	opt_parse(a, &usage, opts, &argc, &argv);
	if (argc == 0)
		opt_fail(&usage, "what to do with the cache?");
	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
		if (strcmp(argv[0], actions[i].name) != 0)
			continue;
		int words = actions[i].with ? 2 : 1;
		if (argc < words)
			opt_fail(&usage, "'%s' wants %s", argv[0], actions[i].word);
		if (argc > words)
			opt_fail(&usage, "'%s' takes no '%s'", argv[0], argv[words]);
		return actions[i].with ? actions[i].with(a, root, argv[1])
				       : actions[i].alone(a, root);
	}
	opt_fail(&usage, "there is no 'lanewise cache %s'", argv[0]);
}

const struct command cmd_cache = {
	.name = "cache",
	.about = "look after the store of finished work",
	.run = run,
};
