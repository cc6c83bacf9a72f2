"""Every connection and every claim in the making is an open file, and some systems allow a process 256."""

import resource

ENOUGH = 4096


def allow_open_files() -> int:
    """Asks for more where that is allowed; how many files this process may open, 4,096 at the most."""
    soft, hard = (ENOUGH if limit == resource.RLIM_INFINITY else limit
                  for limit in resource.getrlimit(resource.RLIMIT_NOFILE))  # fmt: skip
    allowed = min(max(soft, hard), ENOUGH)
    if soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    return allowed
