"""Of several Kernel Tuner cache files of one space, each candidate's fastest entry.

usage: least.py CACHE...
"""
import json
import sys

files = [json.load(open(f)) for f in sys.argv[1:]]
for key in files[0]["cache"]:
    entries = [f["cache"][key] for f in files]
    timed = [e for e in entries if isinstance(e.get("time"), float)]
    files[0]["cache"][key] = min(timed, key=lambda e: e["time"]) if timed else entries[0]
print(json.dumps(files[0]))
