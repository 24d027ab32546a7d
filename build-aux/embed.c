/* Writes C source that defines the embedded files (see src/base/asset.h) to stdout.
 *
 *     embed SRCDIR FILE... > assets_data.c
 *
 * FILE is relative to SRCDIR and is the asset's path. Each file is followed by a NUL that
 * its size does not count, so text can be used as a C string. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t
embed_file(const char *dir, const char *name, int i)
{
	char path[4096];
	size_t n = 0;
	int c;

	if ((size_t)snprintf(path, sizeof path, "%s/%s", dir, name) >= sizeof path) {
		fprintf(stderr, "embed: path too long: '%s'\n", name);
		exit(1);
	}
	FILE *f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(1);
	}
	printf("static const unsigned char data_%d[] = {", i);
	while ((c = getc(f)) != EOF)
		printf(n++ % 24 ? "%d," : "\n%d,", c);
	printf("\n0};\n\n");
	if (ferror(f)) {
		perror(path);
		exit(1);
	}
	fclose(f);
	return n;
}

static void
print_string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		putchar(*s);
	}
	putchar('"');
}

int
main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: embed SRCDIR FILE...\n");
		return 1;
	}
	char **files = argv + 2;
	int n = argc - 2;
	size_t *sizes = calloc((size_t)n + 1, sizeof *sizes);
	if (!sizes) {
		perror("embed");
		return 1;
	}
	qsort(files, (size_t)n, sizeof *files, compare);
	printf("#include \"base/asset.h\"\n\n");
	for (int i = 0; i < n; i++)
		sizes[i] = embed_file(argv[1], files[i], i);
	printf("const struct asset assets[] = {\n");
	for (int i = 0; i < n; i++) {
		printf("\t{");
		print_string(files[i]);
		printf(", data_%d, %zu},\n", i, sizes[i]);
	}
	printf("\t{0},\n};\n\nconst size_t n_assets = %d;\n", n);
	if (fflush(stdout) || ferror(stdout)) {
		perror("embed");
		return 1;
	}
	free(sizes);
	return 0;
}
