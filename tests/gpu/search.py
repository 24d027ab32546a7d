#!/usr/bin/env python3
"""Searches that measure, on the GPU of this machine, beside the whole space measured:

    LANEWISE=$PWD/build/lanewise SRCDIR=$PWD python3 tests/gpu/search.py [BUDGET [SEEDS]]

examples/sgemm at 2048 (1,372 candidates): all of it once; then, with BUDGET (100) evaluations and
SEEDS (3) seeds each, lanewise's strategies and, where python3 has kernel_tuner and cupy, Kernel
Tuner's. Each run is alone, in a folder and with a cache of its own, and chooses by what it measured
itself. What it chose is looked up in the exhaustive run, so that one yardstick serves all.
The walls are those of whole runs: compilers, verification and, of lanewise, the final are in them.
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LANEWISE = os.path.realpath(os.environ["LANEWISE"])
SOURCES = os.path.join(os.environ["SRCDIR"], "examples", "sgemm")
OURS = ("auto", "local", "random")
THEIRS = ("genetic_algorithm", "bayes_opt")
N = 2048


def project(folder):
    shutil.copytree(SOURCES, folder)
    path = os.path.join(folder, "lanewise.json")
    with open(path) as f:
        text = f.read()
    text = re.sub(r'\n *"1024": \{.*', "", text, count=1)
    text = re.sub(r'("2048": \{[^}]*\}),\n *"ffn":.*', r"\1", text, count=1)
    with open(path, "w") as f:
        f.write(text)


def tune(folder, *words):
    """The problem's part of rank.json, and the wall."""
    project(folder)
    start = time.monotonic()
    run = subprocess.run(
        [LANEWISE, "tune", "--no-progress", *words], cwd=folder, capture_output=True, text=True
    )
    wall = time.monotonic() - start
    if run.returncode != 0:
        sys.exit(f"lanewise tune {' '.join(words)}: {run.stdout}{run.stderr}")
    with open(os.path.join(folder, ".lanewise", "sgemm", "rank.json")) as f:
        return json.load(f)["sizes"][0], wall


def label_of(problem):
    return next(e["label"] for e in problem["ranking"] if e["champion"])


def kernel_tuner_runs(times, budget, seeds):
    import random

    import kernel_tuner
    import numpy

    with open(os.path.join(SOURCES, "sgemm.cu")) as f:
        source = f.read()
    x = (numpy.arange(N * N) % 64 / 64).astype(numpy.float32)  # products and sums are exact
    out = numpy.zeros(N * N, numpy.float32)
    answer = (x.reshape(N, N) @ x.reshape(N, N)).reshape(-1)
    args = [x, x.copy(), out, numpy.int32(N), numpy.int32(N), numpy.int32(N)]
    names = [pair.split("=")[0] for pair in next(iter(times)).split(",")]
    space = {n: sorted({int(dict(p.split("=") for p in t.split(","))[n]) for t in times}) for n in names}
    space["THREADS_"] = [32, 64, 128, 256, 512]

    def is_valid(p):
        label = ",".join(f"{n}={p[n]}" for n in names)
        return label in times and p["THREADS_"] == p["BM"] // p["TM"] * (p["BN"] // p["TN"])

    for strategy in THEIRS:
        for seed in range(1, seeds + 1):
            random.seed(seed)
            numpy.random.seed(seed)
            start = time.monotonic()
            results, _ = kernel_tuner.tune_kernel(
                "sgemm", source, (N, N), args, space,
                grid_div_x=["BN"], grid_div_y=["BM"], block_size_names=["THREADS_"],
                restrictions=is_valid, answer=[None, None, answer, None, None, None],
                lang="cupy", strategy=strategy, strategy_options={"max_fevals": budget},
                iterations=7, quiet=True, verbose=False,
            )
            wall = time.monotonic() - start
            good = [r for r in results if isinstance(r["time"], float)]
            best = min(good, key=lambda r: r["time"])
            label = ",".join(f"{n}={best[n]}" for n in names)
            yield f"Kernel Tuner {strategy}", seed, len(results), label, wall


def main():
    budget = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    work = tempfile.mkdtemp()
    whole, wall = tune(os.path.join(work, "whole"))
    times = {e["label"]: e["median_ns"] for e in whole["ranking"]}
    best = times[label_of(whole)]
    print(f"all {len(times)} candidates: {wall:.0f} s, champion {best / 1000:.1f} us: {label_of(whole)}\n")
    print("                                 seed  evaluated  wall s  chosen us  over it")

    def ours():
        for strategy in OURS:
            for seed in range(1, seeds + 1):
                words = ["--budget", str(budget), "--strategy", strategy, "--seed", str(seed)]
                problem, wall = tune(os.path.join(work, f"{strategy}{seed}"), *words)
                counts = problem["counts"]
                yield f"lanewise {strategy}", seed, counts["ok"] + counts["failed"], label_of(problem), wall

    def told(runs):
        over, walls = {}, {}
        for name, seed, n, label, wall in runs:
            ns = times[label]
            over.setdefault(name, []).append(100 * (ns / best - 1))
            walls.setdefault(name, []).append(wall)
            print(f"{name:<32} {seed:>4} {n:>10} {wall:>7.1f} {ns / 1000:>10.1f} {100 * (ns / best - 1):>+7.1f} %", flush=True)
        for name in over:
            print(f"{name:<32} mean {'':>10} {statistics.mean(walls[name]):>7.1f} {'':>10} {statistics.mean(over[name]):>+7.1f} %")

    try:
        told(ours())
        try:
            import cupy  # noqa: F401
            import kernel_tuner  # noqa: F401
        except ImportError as e:
            print(f"Kernel Tuner: not run, {e}")
        else:
            told(kernel_tuner_runs(times, budget, seeds))
    finally:
        shutil.rmtree(work)


main()
