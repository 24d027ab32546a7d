#!/usr/bin/env bats
# Odd places and odd files: the same answers, or a clear error.

bats_require_minimum_version 1.5.0
load lib

@test "a folder's name changes nothing, whatever is in it" {
	project reduce
	tune >../plain.out || [ $? -eq 1 ]
	for name in 'a b' 'a"b' "a'b" 'a$b' 'a:b' 'a\b' '-a' 'a&;b' 'dé' $'a\nb'; do
		mkdir -p "../$name"
		cp ./*.cu ./*.c lanewise.json "../$name"
		(cd "../$name" && tune >../odd.out && ninja tune) || [ $? -eq 1 ]
		cmp ../plain.out ../odd.out
	done
}
