"""The most memory a process held. As a script: run another one, then print it."""

import sys


def peak_kib(process: int | str = "self") -> int:
    """Of this one, or of one that still runs."""
    try:
        # Not ru_maxrss where it can be helped: Linux counts in what the parent held when it started the process.
        with open(f"/proc/{process}/status") as status:
            return int(next(line.split()[1] for line in status if line.startswith("VmHWM:")))
    except FileNotFoundError:
        from resource import RUSAGE_SELF, getrusage

        # macOS counts in bytes.
        return getrusage(RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)


if __name__ == "__main__":
    import atexit

    atexit.register(lambda: print(peak_kib()))
    sys.argv = sys.argv[1:]
    sys.path.pop(0)
    with open(sys.argv[0]) as script:
        exec(compile(script.read(), sys.argv[0], "exec"))
