# Data in files: what runs after an edit. The device is a simulated one.

load lib

npy() { # npy FILE COUNT VALUE: a row of f32, all of them VALUE (four bytes in octal)
	local header="{'descr': '<f4', 'fortran_order': False, 'shape': ($2,), }"
	{
		printf '\223NUMPY\1\0v\0%-117s\n' "$header"
		for _ in $(seq "$2"); do printf '%b' "$3"; done
	} >"$1"
}

one='\0\0\0200\077' two='\0\0\0\0100'

data_project() {
	cp "$SRCDIR/tests/gpu/kernels.ptx" k.ptx
	npy in.npy 64 "$one"
	npy out.npy 64 "$two"
	cat >lanewise.json <<-'END'
		{"schema": "lanewise/spec.v1", "kernels": {"scale": {"source": "k.ptx",
		"launch": {"block": 64}, "args": [
		{"name": "in", "type": "f32*", "count": 64, "file": "in.npy"},
		{"name": "out", "type": "f32*", "count": 64, "output": true},
		{"name": "n", "type": "i32", "value": 64}],
		"entry": "scale", "verify": {"npy": {"out": "out.npy"}}}}}
	END
	echo '{"schema": "lanewise/sim.v1", "device": "h200", "time_ns": "20000"}' >sim.json
}

tune() {
	"$LANEWISE" tune --device sim.json --no-worker --no-progress
}

@test "what a file holds is measured again when it changes, and judged once" {
	data_project
	tune
	grep -q '"status": "ok"' .lanewise/scale/bench/*.json
	grep -q '"verified_by": "npy"' .lanewise/scale/bench/*.json
	forget
	tune
	[ "$(ran bench) $(ran expected) $(ran gate)" = "0 0 0" ]
	npy in.npy 64 "$two"
	tune
	[ "$(ran bench) $(ran expected) $(ran gate) $(ran lower)" = "1 1 0 0" ]
	forget
	npy out.npy 64 "$one"
	tune
	[ "$(ran bench) $(ran expected) $(ran gate) $(ran lower)" = "1 1 0 0" ]
	# The same bytes again: nothing to measure.
	forget
	touch in.npy out.npy
	tune
	[ "$(ran bench) $(ran expected)" = "0 0" ]
}

@test "a file that does not fit ends the run with its name" {
	data_project
	npy in.npy 63 "$one"
	run tune
	[ "$status" -eq 2 ]
	[[ $output == *"lanewise.json:3:"*"'in.npy' has 63 elements, not 64"* ]]
	rm in.npy
	run tune
	[ "$status" -eq 2 ]
	[[ $output == *"cannot read 'in.npy'"* ]]
}
