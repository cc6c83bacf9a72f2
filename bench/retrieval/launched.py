"""Runs a command and prints its wall seconds and its largest memory in bytes, as one line of JSON.

    python -m bench.retrieval.launched COMMAND...

It imports little: a process inherits the peak of the one that starts it.

Limitations: children that the command has not waited for are not counted.
"""

import json
import os
import subprocess
import sys
import time


def main() -> int:
    began = time.perf_counter()
    process = subprocess.Popen(sys.argv[1:], stdout=sys.stderr)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    print(json.dumps({"seconds": seconds, "peak": used.ru_maxrss * 1024}))
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    raise SystemExit(main())
