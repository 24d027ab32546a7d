# Servers on loopback for the scenarios of the remote cache: nginx with WebDAV, and
# tests/fake/http_server.py, which misbehaves as it is told. They end with the test.

free_port() {
	local port i
	for ((i = 0; i < 50; i++)); do
		port=$((20000 + RANDOM % 40000))
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
	done
	return 1
}

wait_for_port() {
	local i
	for ((i = 0; i < 100; i++)); do
		(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
		sleep 0.05
	done
	return 1
}

find_nginx() {
	PATH=$PATH:/usr/sbin type -P nginx || skip "no nginx (Debian package 'nginx-light')"
}

# start_nginx DIR [LINES [FLAG]]: serves DIR/www at $URL, with further lines for the server and
# a flag of 'listen'; at most $CONNECTIONS, its own included. DIR/access.log: connection, method and status of each request.
start_nginx() {
	local dir=$1 program port i
	program=$(find_nginx)
	"$program" -V 2>&1 | grep -q http_dav_module || skip "nginx has no http_dav_module"
	mkdir -p "$dir/www" "$dir/tmp"
	for ((i = 0; i < 5; i++)); do
		port=$(free_port)
		cat >"$dir/nginx.conf" <<-END
			$([ "$(id -u)" != 0 ] || echo "user $(id -un) $(id -gn);")
			worker_processes 1;
			pid $dir/nginx.pid;
			error_log $dir/error.log;
			events { worker_connections ${CONNECTIONS-128}; }
			http {
				log_format short '\$connection \$request_method \$status';
				access_log $dir/access.log short;
				client_body_temp_path $dir/tmp/body;
				proxy_temp_path $dir/tmp/proxy;
				fastcgi_temp_path $dir/tmp/fastcgi;
				uwsgi_temp_path $dir/tmp/uwsgi;
				scgi_temp_path $dir/tmp/scgi;
				server {
					listen 127.0.0.1:$port ${3-};
					${2-}
					root $dir/www;
					client_max_body_size 80m;
					location / {
						dav_methods PUT;
						create_full_put_path on;
					}
				}
			}
		END
		"$program" -c "$dir/nginx.conf" -e "$dir/error.log" 2>/dev/null && break
	done
	wait_for_port "$port"
	URL=http://127.0.0.1:$port
}

stop_nginx() {
	local dir=$1 i
	[ -f "$dir/nginx.pid" ] || return 0
	kill "$(cat "$dir/nginx.pid")"
	for ((i = 0; i < 100; i++)); do
		[ -f "$dir/nginx.pid" ] || return 0
		sleep 0.05
	done
}

# start_server DIR MODE...: http_server.py at $URL, which keeps what is stored in DIR/www.
start_server() {
	local dir=$1 i
	command -v python3 >/dev/null || skip "no python3 to serve with"
	mkdir -p "$dir/www"
	shift
	rm -f "$dir/port"
	python3 "$SRCDIR/tests/fake/http_server.py" "$dir" "$@" >"$dir/log" 2>&1 3>&- &
	echo $! >"$dir/server.pid"
	for ((i = 0; i < 200; i++)); do
		[ ! -s "$dir/port" ] || break
		sleep 0.05
	done
	URL=http://127.0.0.1:$(cat "$dir/port")
}

stop_server() {
	[ -f "$1/server.pid" ] || return 0
	kill "$(cat "$1/server.pid")" 2>/dev/null || true
	rm -f "$1/server.pid"
}

stop_servers() {
	local dir
	for dir in "$BATS_TEST_TMPDIR"/*/; do
		stop_nginx "$dir"
		stop_server "$dir"
	done
}
