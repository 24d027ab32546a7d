"""Constructs the spaces of the given specs with Kernel Tuner; a line each: name, candidates, CPU seconds."""

import json
import re
import sys
import time

from kernel_tuner.searchspace import Searchspace


def values(v):
    if isinstance(v, list):
        return v
    if "pow2" in v:
        low, high = v["pow2"]
        return [2**i for i in range(63) if low <= 2**i <= high]
    first, last, *step = v["range"]
    return list(range(first, last + 1, *step))


def construct(path):
    with open(path) as f:
        spec = json.loads(re.sub(r"^//.*$", "", f.read(), flags=re.M))
    (name, kernel), = spec["kernels"].items()
    params = {k: values(p["values"]) for k, p in kernel["params"].items()}
    # The specs write every limit on threads out, so Kernel Tuner's own one has nothing to add.
    start = time.process_time()
    space = Searchspace(params, kernel.get("constraints", []), 1024, block_size_names=["none"])
    seconds = time.process_time() - start
    print(f"{name}\t{space.size}\t{seconds:.6f}")


for path in sys.argv[1:]:
    construct(path)
