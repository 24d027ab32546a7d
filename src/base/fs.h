/*
 * Files: read whole, write atomically.  Paths are NUL-terminated.
 * "try" functions return false with errno set; the others die() naming the path.
 */
#ifndef BASE_FS_H
#define BASE_FS_H

#include "base/str.h"

/* Whole file, NUL-terminated after its last byte; at most 1 GiB.  What is endless
 * (fs_endless) is refused with ESPIPE, for which fs_reason() has words. */
bool fs_try_read(struct arena *a, const char *path, struct str *out);
/* The same, at most max bytes (else EFBIG); path NULL: standard input. */
bool fs_try_read_most(struct arena *a, const char *path, size_t max, struct str *out);
/* What is left of an open file, likewise. */
bool fs_try_read_fd(struct arena *a, int fd, size_t max, struct str *out);
struct str fs_read(struct arena *a, const char *path);
/* errno in words, after one of them failed. */
const char *fs_reason(void);

/* Writes PATH.ID.tmp and renames it over PATH; parent folders are made.  Every byte is
 * checked (also at close), so a full disk leaves the old file, and of several writers at
 * once one wins whole.  A writer that is killed leaves its temporary file, which nobody
 * reads.  When the file already holds exactly these bytes it is left untouched (its mtime
 * too) and *changed is false; changed may be NULL. */
bool fs_try_write(const char *path, struct str bytes, bool *changed);
void fs_write(const char *path, struct str bytes, bool *changed);
/* For a file that the user names: what is there and no regular file (a device, a pipe) is
 * written to, and of a link what it points to.  Dies like fs_write(), and where
 * fs_need_place() does. */
void fs_put(const char *path, struct str bytes);
/* Dies unless the folder of a file that the user names is there, as a name with a slip in
 * it makes no folders, and where a link leads nowhere. */
void fs_need_place(const char *path);
/* Likewise for what has to be a regular file: dies where a pipe, a device or a folder is.
 * Returns the path to write, of a link what it points to. */
char *fs_need_file(struct arena *a, const char *path);

/* One write(2) to a file opened O_APPEND, so that lines of several processes do not mix.
 */
bool fs_try_append(const char *path, struct str bytes);

bool fs_exists(const char *path);
bool fs_is_dir(const char *path);
bool fs_is_file(const char *path); /* a regular one: no folder, pipe or device */
/* What it is when reading it may never end, or NULL.  /dev/stdin and /dev/fd/3, which
 * are links, may be pipes: those somebody has opened. */
const char *fs_endless(const char *path);
/* Modification time in nanoseconds; 0 if the file is absent. */
int64_t fs_mtime_ns(const char *path);
void fs_mkdirs(const char *path);
void fs_remove(const char *path); /* absent is fine */

/* a + "/" + b; b alone when it is absolute or a is empty or ".". */
char *fs_join(struct arena *a, const char *dir, const char *name);
/* Folder part ("." if none) and last component. */
char *fs_dirname(struct arena *a, const char *path);
const char *fs_basename(const char *path);
/* Resolves "." and ".." textually. */
char *fs_normal(struct arena *a, const char *path);
/* Path of `to` as seen from folder `from`; both absolute or both relative to the cwd. */
char *fs_relative(struct arena *a, const char *from, const char *to);
char *fs_cwd(struct arena *a);
/* First executable NAME on PATH, or NULL; a NAME with a slash is tested as it is. */
char *fs_which(struct arena *a, const char *name);
/* Names (without . and ..) of a folder in byte order; 0 if it does not exist. */
size_t fs_list(struct arena *a, const char *dir, const char ***names);

/* Exclusive advisory lock on a file that is made if absent.  Returns the descriptor that
 * holds it, or -1 if another process holds it (wait = false). */
int fs_lock(const char *path, bool wait);

#endif
