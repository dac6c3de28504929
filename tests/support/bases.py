"""A Postgres of this machine, for a while."""

import os
import shutil
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path


def programs():
    """The folder of its programs, or None."""
    found = [shutil.which("initdb"), *Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    found = sorted(str(path) for path in found if path)
    return Path(found[-1]).parent if found else None


@contextmanager
def running(folder):
    """Start one, whose files lie in a folder; gives its address, with a password."""
    # It does not run for root.
    user = {"user": "nobody"} if os.getuid() == 0 else {}
    if user:
        shutil.chown(folder, "nobody")
        for path in [folder, *folder.parents]:
            path.chmod(path.stat().st_mode | 0o011)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (secret := folder / "secret").write_text("geheim\n")
    secret.chmod(0o644)

    def run(program, *arguments, check=True):
        # Not through a pipe, which the server would hold.
        with open(folder.parent / "log", "wb") as log:
            command = [programs() / program, *map(str, arguments)]
            subprocess.run(
                command, check=check, stdout=log, stderr=log, cwd=folder, **user
            )

    data = folder / "data"
    run("initdb", "-D", data, "-U", "office", "-A", "md5", f"--pwfile={secret}", "-N")
    asked = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    run("pg_ctl", "start", "-w", "-D", data, "-o", asked)
    try:
        yield f"postgres://office:geheim@127.0.0.1:{port}/postgres"
    finally:
        # Whether it still runs is nothing that a test is about.
        run("pg_ctl", "stop", "-w", "-D", data, "-m", "immediate", check=False)
