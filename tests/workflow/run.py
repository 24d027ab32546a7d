#!/usr/bin/env python3
"""Runs a workflow of GitHub Actions, or a job of GitLab CI, on this machine.

    run.py github WORKFLOW.yml --action ACTION.yml --workspace DIR --store DIR [--input K=V]...
    run.py gitlab PIPELINE.yml --workspace DIR --store DIR [--variable K=V]...

Only what our templates use: `run` and composite steps, `if`, `env`, outputs, expressions with
== != && || always() success(), and stand-ins for checkout, cache and upload. Anything else is
an error. STORE holds caches and uploads between runs. Prints what the steps print; says on
standard error what was done; exits as the job would.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

import yaml


def say(text):
    print(f"runner: {text}", file=sys.stderr)


def stop(text):
    sys.exit(f"runner: {text}")


# --- expressions -----------------------------------------------------------------------

TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|(==|!=|&&|\|\||[()])|([A-Za-z_][\w.-]*))")


class Expression:
    """One ${{ ... }}, or the condition of an `if`."""

    def __init__(self, text, contexts, failed):
        self.tokens, at = [], 0
        text = text.strip()
        while at < len(text):
            m = TOKEN.match(text, at)
            if not m:
                stop(f"cannot read the expression '{text}'")
            self.tokens.append(m.groups())
            at = m.end()
        self.contexts, self.failed, self.always = contexts, failed, False

    def take(self, operator):
        if self.tokens and self.tokens[0][1] == operator:
            self.tokens.pop(0)
            return True
        return False

    def value(self):
        string, operator, name = self.tokens.pop(0)
        if string is not None:
            return string[1:-1].replace("''", "'")
        if operator == "(":
            v = self.either()
            self.take(")") or stop("a ')' is missing")
            return v
        if operator:
            stop(f"'{operator}' has no left side")
        if self.take("("):
            self.take(")") or stop(f"'{name}' takes nothing here")
            if name not in ("always", "success"):
                stop(f"no function '{name}'")
            self.always |= name == "always"
            return "true" if name == "always" or not self.failed else ""
        if name in ("true", "false"):
            return name if name == "true" else ""
        v = self.contexts
        for part in name.split("."):
            if not isinstance(v, dict):
                stop(f"no context '{name}'")
            v = v.get(part, "")
        return v

    def compared(self):
        left = self.value()
        while self.tokens and self.tokens[0][1] in ("==", "!="):
            same = self.tokens.pop(0)[1] == "=="
            left = "true" if (left == self.value()) == same else ""
        return left

    def both(self):
        left = self.compared()
        while self.take("&&"):
            right = self.compared()
            left = right if left else left
        return left

    def either(self):
        left = self.both()
        while self.take("||"):
            right = self.both()
            left = left or right
        return left

    def result(self):
        v = self.either()
        if self.tokens:
            stop("something follows the expression")
        return v


def filled(text, contexts):
    return re.sub(r"\$\{\{(.*?)\}\}",
                  lambda m: str(Expression(m[1], contexts, False).result()), str(text))


# --- GitHub ----------------------------------------------------------------------------

class Job:
    def __init__(self, args):
        self.args, self.failed = args, False
        self.home = os.path.join(args.store, "home")
        self.temp = os.path.join(args.store, "temp")
        for d in (self.home, self.temp):
            os.makedirs(d, exist_ok=True)
        self.summary = os.path.join(args.store, "summary.md")
        self.action_path = os.path.dirname(os.path.abspath(args.action))

    def path(self, text):
        if text.startswith("~/"):
            return os.path.join(self.home, text[2:])
        return os.path.join(self.args.workspace, text)

    def shell(self, step, contexts):
        if step.get("shell", "bash") != "bash":
            stop(f"no shell '{step['shell']}'")
        out = os.path.join(self.temp, "output")
        open(out, "w").close()
        env = dict(os.environ, HOME=self.home, RUNNER_TEMP=self.temp, RUNNER_OS="Linux",
                   GITHUB_OUTPUT=out, GITHUB_WORKSPACE=self.args.workspace, CI="true",
                   GITHUB_STEP_SUMMARY=self.summary, GITHUB_ACTIONS="true",
                   GITHUB_ACTION_PATH=self.action_path)
        env.update({k: filled(v, contexts) for k, v in step.get("env", {}).items()})
        script = os.path.join(self.temp, "step.sh")
        with open(script, "w") as f:
            f.write(filled(step["run"], contexts))
        rc = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
                            cwd=self.args.workspace, env=env, check=False).returncode
        with open(out) as f:
            return rc, dict(line.rstrip("\n").split("=", 1) for line in f)

    def restore(self, given):
        os.makedirs(os.path.join(self.args.store, "caches"), exist_ok=True)
        folder = os.path.join(self.args.store, "caches")
        kept = sorted(os.listdir(folder), key=lambda n: -os.stat(os.path.join(folder, n)).st_mtime_ns)
        wanted = [k for k in kept if k == given["key"]]
        wanted += [k for p in given.get("restore-keys", "").split() for k in kept if k.startswith(p)]
        say(f"cache: {'restored ' + wanted[0] if wanted else 'none'}")
        if not wanted:
            return 0, {}
        shutil.copytree(os.path.join(folder, wanted[0]), self.path(given["path"]), dirs_exist_ok=True)
        return 0, {"cache-matched-key": wanted[0]}

    def save(self, given):
        to = os.path.join(self.args.store, "caches", given["key"])
        if os.path.exists(to):
            stop(f"the cache '{given['key']}' is there already")
        shutil.copytree(self.path(given["path"]), to)
        os.utime(to)
        say(f"cache: saved {given['key']}")
        return 0, {}

    def upload(self, given):
        with open(self.path(given["sarif_file"])) as f:
            assert json.load(f)["version"] == "2.1.0"
        shutil.copy(self.path(given["sarif_file"]), os.path.join(self.args.store, "uploaded.sarif"))
        say("uploaded SARIF")
        return 0, {}

    def uses(self, step, contexts):
        name = step["uses"].split("@")[0]
        given = {k: filled(v, contexts) for k, v in step.get("with", {}).items()}
        known = {"actions/checkout": lambda g: (0, {}), "actions/cache/restore": self.restore,
                 "actions/cache/save": self.save, "github/codeql-action/upload-sarif": self.upload}
        if name in known:
            return known[name](given)
        if not name.endswith("/templates/action"):
            stop(f"no action '{name}'")
        return self.composite(given)

    def composite(self, given):
        action = load(self.args.action)
        given.update(self.args.inputs)
        for k in given:
            k in action["inputs"] or stop(f"the action has no input '{k}'")
        inputs = {k: given.get(k, v.get("default", "")) for k, v in action["inputs"].items()}
        outer, self.failed = self.failed, False
        steps = self.steps(action["runs"]["steps"], inputs)
        rc, self.failed = int(self.failed), outer
        contexts = {"steps": steps}
        return rc, {k: filled(v["value"], contexts) for k, v in action["outputs"].items()}

    def steps(self, steps, inputs):
        done = {}
        for step in steps:
            contexts = {"inputs": inputs, "steps": done, "runner": {"os": "Linux"}}
            label = step.get("name") or step.get("uses")
            wanted = Expression(str(step.get("if", "success()")), contexts, self.failed)
            run = wanted.result()
            if not run or (self.failed and not wanted.always):
                say(f"skipped: {label}")
                continue
            say(f"step: {label}")
            rc, outputs = (self.uses if "uses" in step else self.shell)(step, contexts)
            if "id" in step:
                done[step["id"]] = {"outputs": outputs}
            if rc:
                say(f"failed with {rc}: {label}")
            self.failed |= rc != 0
        return done


def github(args):
    job = Job(args)
    workflow = load(args.file)
    # YAML 1.1 reads the key `on` as a truth.
    set(workflow) <= {"name", True, "permissions", "jobs"} or stop("an unknown key of a workflow")
    for spec in workflow["jobs"].values():
        set(spec) <= {"runs-on", "steps"} or stop("an unknown key of a job")
        job.steps(spec["steps"], {})
    return int(job.failed)


# --- GitLab ----------------------------------------------------------------------------

def gitlab(args):
    (name, spec), = load(args.file).items()
    env = dict(os.environ, CI_PROJECT_DIR=args.workspace, CI="true")
    for k, v in spec["variables"].items():
        env[k] = re.sub(r"\$(\w+)", lambda m: env.get(m[1], ""), v)
    env.update(args.inputs)
    kept = os.path.join(args.store, spec["cache"]["key"])
    for path in spec["cache"]["paths"]:
        if os.path.isdir(os.path.join(kept, path)):
            shutil.copytree(os.path.join(kept, path), os.path.join(args.workspace, path))
            say(f"cache: restored {path}")
    lines = "\n".join(spec["before_script"] + spec["script"])
    rc = subprocess.run(["bash", "-eo", "pipefail", "-c", lines], cwd=args.workspace, env=env,
                        check=False).returncode
    for path in spec["cache"]["paths"]:
        shutil.rmtree(os.path.join(kept, path), ignore_errors=True)
        shutil.copytree(os.path.join(args.workspace, path), os.path.join(kept, path))
    artifacts = spec["artifacts"]
    for path in artifacts["paths"] + [artifacts["reports"]["junit"]]:
        if os.path.exists(os.path.join(args.workspace, path)):
            shutil.copy(os.path.join(args.workspace, path), args.store)
            say(f"artifact: {path}")
    say(f"{name}: exit status {rc}")
    return rc


def load(path):
    with open(path) as f:
        return yaml.safe_load(f)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("service", choices=["github", "gitlab"])
    p.add_argument("file")
    p.add_argument("--action", default="action.yml")
    p.add_argument("--workspace", required=True)
    p.add_argument("--store", required=True)
    p.add_argument("--input", "--variable", action="append", default=[], dest="inputs")
    args = p.parse_args()
    args.workspace, args.store = os.path.abspath(args.workspace), os.path.abspath(args.store)
    args.inputs = dict(x.split("=", 1) for x in args.inputs)
    os.makedirs(args.store, exist_ok=True)
    return github(args) if args.service == "github" else gitlab(args)


if __name__ == "__main__":
    sys.exit(main())
