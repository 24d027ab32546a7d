#include "scratch.h"

#include "base/fs.h"
#include "cache/action_result.h"
#include "cache/remote.h"

#include <fcntl.h>

static const char DIGEST[] =
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/* --- action results --- */

static struct action_result
of(const char *digest, uint64_t bytes)
{
	struct action_result r = {.bytes = bytes};
	memcpy(r.digest, digest, SHA256_HEX);
	return r;
}

static void
an_action_result_is_what_protobuf_makes(void **state)
{
	struct scratch *s = *state;
	struct action_result r = of(DIGEST, 300), back;
	struct str text = action_result_write(&s->a, &r);
	/* protoc --encode: output_files { path: "entry" digest { hash: ... size_bytes:
	 * 300 } } */
	assert_memory_equal(text.s,
		"\x12\x4e\x0a\x05"
		"entry\x12\x45\x0a\x40",
		13);
	assert_memory_equal(text.s + 13, DIGEST, SHA256_HEX);
	assert_memory_equal(text.s + 13 + SHA256_HEX, "\x10\xac\x02", 3);
	assert_int_equal(text.n, 13 + SHA256_HEX + 3);
	assert_true(action_result_read(text, &back));
	assert_string_equal(back.digest, DIGEST);
	assert_int_equal(back.bytes, 300);
}

static void
fields_that_are_not_known_are_skipped(void **state)
{
	struct scratch *s = *state;
	struct action_result r = of(DIGEST, 0), back;
	struct buf b = {.a = &s->a};
	buf_add(&b, "\x20\x05", 2);                           /* exit_code */
	buf_add(&b, "\x2a\x03xyz", 5);                        /* stdout_raw */
	buf_add(&b, "\x79\1\2\3\4\5\6\7\x8\x7d\1\2\3\4", 14); /* fixed64, fixed32 */
	buf_addstr(&b, action_result_write(&s->a, &r));
	assert_true(action_result_read(buf_str(&b), &back));
	assert_string_equal(back.digest, DIGEST);
}

static void
a_malformed_action_result_is_none(void **state)
{
	struct scratch *s = *state;
	struct action_result r = of(DIGEST, 12345), back;
	struct str text = action_result_write(&s->a, &r);
	for (size_t n = 0; n < text.n; n++)
		assert_false(
			action_result_read(str_dup(&s->a, str_sub(text, 0, n)), &back));
	for (size_t i = 0; i < text.n; i++)
		for (int bit = 0; bit < 8; bit++) {
			char *bad = str_c(&s->a, text);
			bad[i] ^= (char)(1 << bit);
			/* whatever it says: no crash, and no other digest than 64 digits
			 */
			if (action_result_read((struct str){bad, text.n}, &back))
				assert_int_equal(strlen(back.digest), SHA256_HEX);
		}
	r.digest[5] = 'X';
	assert_false(action_result_read(action_result_write(&s->a, &r), &back));
}

/* --- settings --- */

static struct remote_settings
settings(struct scratch *s, const char *json)
{
	struct remote_settings out;
	fs_write("remote.json", str_of(json), NULL);
	setenv("LANEWISE_REMOTE", "remote.json", 1);
	assert_true(remote_settings_read(&s->a, &out));
	return out;
}

#define BEGIN "{ \"schema\": \"lanewise/remote.v1\", "

static void
a_url_alone_is_only_read(void **state)
{
	struct scratch *s = *state;
	struct remote_settings r;
	unsetenv("LANEWISE_REMOTE");
	assert_false(remote_settings_read(&s->a, &r));
	setenv("LANEWISE_REMOTE", "", 1);
	assert_false(remote_settings_read(&s->a, &r));
	setenv("LANEWISE_REMOTE", "https://cache.example/x//", 1);
	assert_true(remote_settings_read(&s->a, &r));
	assert_string_equal(r.http.url, "https://cache.example/x");
	assert_false(r.writes);
	assert_int_equal(r.layout, REMOTE_FOLDERS);
	assert_int_equal(r.http.token.n, 0);
	assert_int_equal(r.http.patience_ns, 10000000000);
}

static void
a_file_says_the_rest(void **state)
{
	struct scratch *s = *state;
	fs_write("ca.pem", STR_LIT("x"), NULL);
	fs_write("token", STR_LIT("s3cret\n"), NULL);
	struct remote_settings r = settings(s,
		BEGIN "\"url\": \"https://c.example:8443/p/\", \"mode\": \"read-write\", "
		      "\"layout\": \"bazel\", \"token_file\": \"token\", \"ca_file\": "
		      "\"ca.pem\", \"timeout_s\": 0.5 }");
	assert_string_equal(r.http.url, "https://c.example:8443/p");
	assert_true(r.writes);
	assert_int_equal(r.layout, REMOTE_BAZEL);
	assert_true(str_is(r.http.token, "s3cret"));
	assert_string_equal(r.http.ca_file, "ca.pem");
	assert_int_equal(r.http.patience_ns, 500000000);
	assert_null(r.tokenless);
}

static void
a_token_that_is_not_there_is_no_error(void **state)
{
	struct scratch *s = *state;
	unsetenv("NO_TOKEN");
	struct remote_settings r = settings(
		s, BEGIN "\"url\": \"https://c.example\", \"token_env\": \"NO_TOKEN\" }");
	assert_int_equal(r.http.token.n, 0);
	assert_string_equal(r.tokenless, "the variable 'NO_TOKEN' is not set");
	setenv("NO_TOKEN", "two words", 1);
	r = settings(
		s, BEGIN "\"url\": \"https://c.example\", \"token_env\": \"NO_TOKEN\" }");
	assert_int_equal(r.http.token.n, 0);
	assert_non_null(strstr(r.tokenless, "is no token"));
	assert_null(strstr(r.tokenless, "two"));
	r = settings(
		s, BEGIN "\"url\": \"https://c.example\", \"token_file\": \"none\" }");
	assert_non_null(strstr(r.tokenless, "cannot be read"));
}

static void
read_them(void *json)
{
	struct arena a = {0};
	struct remote_settings r;
	setenv("LANEWISE_REMOTE", json, 1);
	(void)remote_settings_read(&a, &r);
}

static void
wrong_settings_are_told_with_their_place(void **state)
{
	static const char *const wrong[][2] = {
		{BEGIN "\"url\": \"https://c.example\", \"mod\": \"read\" }",
			"remote.json:1:63: error: unknown key 'mod' (did you mean "
			"'mode'?)"},
		{BEGIN "\"url\": \"ftp://c.example\" }", "begins with http"},
		{BEGIN "\"url\": \"https://me:pw@c.example/\" }", "no password"},
		{BEGIN "\"url\": \"https://c.example/?x\" }", "takes no '?'"},
		{BEGIN "\"url\": \"https://c.example/a b\" }", "%xx"},
		{BEGIN "\"url\": \"https:///a\" }", "names no server"},
		{BEGIN "\"url\": \"http://c.example\", \"token_env\": \"X\" }",
			"unencrypted"},
		{BEGIN "\"url\": \"https://c.example\", \"mode\": \"write\" }",
			"'mode' wants \"read\" or \"read-write\""},
		{BEGIN "\"url\": \"https://c.example\", \"timeout_s\": 0 }",
			"'timeout_s' wants"},
		{BEGIN "\"url\": \"https://c.example\", \"ca_file\": \"none.pem\" }",
			"no file"},
		{BEGIN "\"url\": \"https://c.example\", \"token_env\": \"A\", "
		       "\"token_file\": \"b\" }",
			"keep one"},
		{"{ \"url\": \"https://c.example\" }", "'schema' is missing"},
		{BEGIN "\"mode\": \"read\" }", "'url' is missing"},
		{"[]", "wants an object"},
	};
	struct scratch *s = *state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct ended c;
		fs_write("remote.json", str_of(wrong[i][0]), NULL);
		c = scratch_run(s, read_them, (void *)(uintptr_t) "remote.json");
		assert_int_equal(c.status, 2);
		assert_contains(c.err, wrong[i][1]);
	}
}

/* --- what processes tell each other --- */

static void
a_note_is_given_once_a_run(void **state)
{
	struct scratch *s = *state;
	remote_run_begin();
	assert_false(remote_is_off(&s->a, "state", REMOTE_READS));
	assert_true(remote_off(&s->a, "state", REMOTE_READS));
	assert_true(remote_is_off(&s->a, "state", REMOTE_READS));
	assert_false(remote_is_off(&s->a, "state", REMOTE_WRITES));
	assert_false(remote_off(&s->a, "state", REMOTE_READS));
	assert_true(remote_off(&s->a, "state", REMOTE_WRITES));
	/* a minute later it is tried again, without another note; so it is when the clock
	 * ran backwards */
	const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	const struct timespec late[2] = {{.tv_sec = 9000000000}, {.tv_sec = 9000000000}};
	assert_int_equal(utimensat(AT_FDCWD, "state/off", old, 0), 0);
	assert_false(remote_is_off(&s->a, "state", REMOTE_READS));
	assert_int_equal(utimensat(AT_FDCWD, "state/off", late, 0), 0);
	assert_false(remote_is_off(&s->a, "state", REMOTE_READS));
	assert_false(remote_off(&s->a, "state", REMOTE_READS));
	assert_true(remote_is_off(&s->a, "state", REMOTE_READS));
	remote_run_begin();
	assert_false(remote_is_off(&s->a, "state", REMOTE_READS));
	assert_true(remote_off(&s->a, "state", REMOTE_READS));
	/* nowhere to write: everybody for himself */
	assert_true(remote_off(&s->a, NULL, REMOTE_READS));
	assert_false(remote_is_off(&s->a, NULL, REMOTE_READS));
	assert_true(remote_off(&s->a, "/proc/no/such", REMOTE_READS));
}

static void
the_queue_gives_each_name_once(void **state)
{
	static const char x[] = "0123456789abcdef0123456789abcdef",
			  y[] = "fedcba9876543210fedcba9876543210";
	struct scratch *s = *state;
	struct remote_names in = {0}, l;
	remote_queue_read(&s->a, "state", true, &l);
	assert_int_equal(l.n, 0);
	remote_names_add(&s->a, &in, x, false);
	remote_names_add(&s->a, &in, y, true);
	remote_names_add(&s->a, &in, x, true);
	remote_queue(&s->a, "state", in.v, in.n);
	assert_true(
		fs_try_append("state/queue", STR_LIT("\n../../etc/passwd\nx y\n0123")));
	remote_queue_read(&s->a, "state", false, &l);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.v[0].hex, x);
	assert_true(l.v[0].damaged);
	assert_string_equal(l.v[1].hex, y);
	remote_queue_read(&s->a, "state", true, &l);
	assert_int_equal(l.n, 2);
	remote_queue_read(&s->a, "state", true, &l);
	assert_int_equal(l.n, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(an_action_result_is_what_protobuf_makes),
		scratch_test(fields_that_are_not_known_are_skipped),
		scratch_test(a_malformed_action_result_is_none),
		scratch_test(a_url_alone_is_only_read),
		scratch_test(a_file_says_the_rest),
		scratch_test(a_token_that_is_not_there_is_no_error),
		scratch_test(wrong_settings_are_told_with_their_place),
		scratch_test(a_note_is_given_once_a_run),
		scratch_test(the_queue_gives_each_name_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
