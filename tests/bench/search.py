"""Kernel Tuner's strategies in its simulation mode over a cache file.

usage: search.py SPEC CACHE BUDGET SEEDS [STRATEGY...]
The spec is that of the cache; its constraints are handed to Kernel Tuner as they stand. "-": the valid
candidates are those that the cache has.
Prints for each strategy its score as 'lanewise simulate' defines it, and the mean number of
evaluations until the best is within 1 % of the optimum (a run that never is counts with its budget).
"""
import json
import random
import sys
import warnings

import numpy

warnings.simplefilter("ignore")
import constraint  # noqa: E402 # Kernel Tuner's own dependency
import kernel_tuner  # noqa: E402

spec, path, budget, seeds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
names = sys.argv[5:] or ["random_sample", "genetic_algorithm", "greedy_ils", "simulated_annealing", "bayes_opt"]
cache = json.load(open(path))
size = cache.get("problem_size") or 1
params = {k: cache["tune_params"][k] for k in cache["tune_params_keys"]}



def restrictions():
    if spec == "-":
        held = constraint.FunctionConstraint(lambda *v: ",".join(map(str, v)) in cache["cache"])
        return [held]
    text = "\n".join(line for line in open(spec) if not line.startswith("//"))
    return list(next(iter(json.loads(text)["kernels"].values())).get("constraints", []))


times = sorted(e["time"] for e in cache["cache"].values() if "time" in e)
failed = len(cache["cache"]) - len(times)
optimum, worst = times[0], times[-1]
values = times + [worst] * failed
total = len(values)


def expected(n):
    p, left, mean = n / total, 1.0, 0.0
    for k in range(total - n + 1):
        mean += p * values[k]
        left -= p
        if left < 1e-12 or k + n >= total:
            break
        p *= (total - k - n) / (total - k - 1)
    return mean


baseline = [expected(n) for n in range(1, budget + 1)]


def evaluated(strategy, seed):
    """The times of one run, in the order in which it asked for them, without repetition."""
    random.seed(seed)
    numpy.random.seed(seed)
    results, _ = kernel_tuner.tune_kernel(
        cache["kernel_name"], "__global__ void f() {}", size, [numpy.float32(0)], params,
        restrictions=restrictions(),
        strategy=strategy, strategy_options={"max_fevals": budget}, lang="CUDA",
        cache=path, simulation_mode=True, quiet=True, verify=None)
    seen, order = set(), []
    for r in results:
        key = tuple(r[k] for k in params)
        if key not in seen:
            seen.add(key)
            order.append(r["time"] if isinstance(r.get("time"), float) and "__error__" not in r else None)
    return order[:budget]


for name in names:
    mean, near = [0.0] * budget, 0
    for seed in range(1, seeds + 1):
        order = evaluated(name, seed)
        best, hit = worst, None
        for n in range(budget):
            if n < len(order) and order[n] is not None:
                best = min(best, order[n])
            if hit is None and best <= optimum * 1.01:
                hit = n + 1
            mean[n] += best / seeds
        near += (hit or budget) / seeds
    rooms = [(b, m) for b, m in zip(baseline, mean) if b - optimum > optimum * 1e-9]
    score = sum((b - m) / (b - optimum) for b, m in rooms) / len(rooms)
    print(f"     {name:<20} {score:6.3f} {near:8.1f}", flush=True)
