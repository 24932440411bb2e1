"""Shards over an NFS server through two clients: `nfs.py FARFIELD [TEST...]`.

The server is NFS-Ganesha. The clients (nfs_client.py) have host names and caches of their own, and lose answers. Every test of shards.py
runs over them, its commands in turns on the two clients, and what must be equal is looked at on the server. Everything is in name
spaces of its own: mounts, network, processes, host name. Skipped (77) where one of these is missing or this is not root.
"""
import contextlib
import errno
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import shards
from support import TASKS, Folder, check, models

HERE = pathlib.Path(__file__).resolve().parent
NEEDED = ["ganesha.nfsd", "rpcbind", "unshare", "nsenter", "ip"]
SKIPPED = 77
PORT, MOUNT_PORT = 2049, 20048  # of a network of its own
CACHE = 1.0  # seconds for which a client believes what it knows
# Of so many calls that change names a client loses an answer.
LOSE = (7, 11)
# These put mounts of their own into the folder, or ask one host about the processes of the other.
NOT_HERE = {"test_full_disk", "test_status"}

CONFIGURATION = """
NFS_CORE_PARAM {{ Protocols = 3; Enable_NLM = false; Enable_RQUOTA = false; NFS_Port = {port}; MNT_Port = {mount_port}; }}
MDCACHE {{ Dir_Chunk = 0; }}
EXPORT {{ Attr_Expiration_Time = 0; Export_Id = 1; Path = {export}; Pseudo = /store; Protocols = 3; Access_Type = RW; Squash = No_Root_Squash;
         SecType = sys; Transports = TCP; FSAL {{ Name = VFS; }} }}
LOG {{ Default_Log_Level = EVENT; }}
"""


def missing():
    absent = [name for name in NEEDED if not shutil.which(name)]
    if importlib.util.find_spec("llfuse") is None:
        absent.append("python3-llfuse")
    if not os.path.exists("/dev/fuse"):
        absent.append("/dev/fuse")
    if os.geteuid() != 0:
        absent.append("root")
    if not absent and subprocess.run(["unshare", *SPACES, "true"], check=False, capture_output=True).returncode != 0:
        absent.append("the right to name spaces")
    return ", ".join(absent)


SPACES = ["--mount", "--net", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc"]


def until(is_ready, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not is_ready():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(0.05)


class Server:
    """NFS-Ganesha with one export, a small disk of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.export = folder / "export"
        self.processes = []

    def __enter__(self):
        self.export.mkdir()
        self.resize("256m", "")
        for path in ("/run", "/var/lib"):  # of this name space alone
            subprocess.run(["mount", "-t", "tmpfs", "none", path], check=True)
        for path in ("/run/rpcbind", "/run/ganesha", "/var/lib/nfs/ganesha"):
            pathlib.Path(path).mkdir(parents=True)
        (self.folder / "ganesha.conf").write_text(CONFIGURATION.format(port=PORT, mount_port=MOUNT_PORT, export=self.export))
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        self.run("rpcbind", "-f", "-w")
        until(pathlib.Path("/run/rpcbind.sock").exists, "rpcbind")
        self.start()
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
        subprocess.run(["umount", "--lazy", self.export], check=True)

    def run(self, *command):
        with (self.folder / f"{command[0]}.out").open("ab") as log:
            self.processes.append(subprocess.Popen(command, stdout=log, stderr=log))
        return self.processes[-1]

    def start(self):
        log = self.folder / "ganesha.log"
        log.unlink(missing_ok=True)
        self.process = self.run("ganesha.nfsd", "-F", "-L", log, "-f", self.folder / "ganesha.conf", "-p", self.folder / "ganesha.pid")
        until(lambda: log.exists() and "NFS SERVER INITIALIZED" in log.read_text(errors="replace"), "the server")

    def crash(self):
        """Ends without a farewell; what it has answered to which call is forgotten."""
        self.process.kill()
        self.process.wait()

    def resize(self, size, options="remount,"):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"{options}size={size}", "none", self.export], check=True)


class Client:
    """A machine that mounts the export."""

    def __init__(self, server, name, lose=0):
        self.host = name.replace("_", "-")
        self.mount = server.folder / name
        self.mount.mkdir()
        self.log = (server.folder / f"{name}.out").open("wb")
        self.process = subprocess.Popen(
            ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', self.host, sys.executable, HERE / "nfs_client.py", "127.0.0.1",
             str(PORT), str(MOUNT_PORT), server.export, self.mount, "--cache", str(CACHE), "--lose", str(lose)],
            stdout=self.log, stderr=self.log)
        until(lambda: os.path.ismount(self.mount) or self.process.poll() is not None, f"the mount of {name}")
        check(self.process.poll() is None, pathlib.Path(self.log.name).read_text())

    def within(self, command):
        return ["nsenter", f"--uts=/proc/{self.process.pid}/ns/uts", *command]

    def close(self):
        """Returns what the client counted."""
        subprocess.run(["umount", "--lazy", self.mount], check=False)
        self.process.wait(30)
        self.log.close()
        return pathlib.Path(self.log.name).read_text().strip()


class Shared(Folder):
    """A folder on the server; each command runs on the next of the clients."""

    def __init__(self, program, path, steps=60):
        self.clients = Shared.clients
        self.hosts = {client.host for client in self.clients}
        self.turn = 0
        super().__init__(program, path, steps)

    def start(self, *arguments, **options):
        client = self.clients[self.turn % len(self.clients)]
        self.turn += 1
        within = client.mount / self.path.relative_to(Shared.export)
        return subprocess.Popen(client.within(self.command(*arguments)), cwd=within, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env={**os.environ, **(options.get("environment") or {})})

    def run(self, *arguments, **options):
        time.sleep(CACHE)  # what the other client did is known
        return super().run(*arguments, **options)


def main():
    absent = missing()
    if absent:
        print(f"no NFS here: {absent} missing")
        return SKIPPED
    if os.environ.get("FARFIELD_NFS_SPACES") != "own":
        os.environ["FARFIELD_NFS_SPACES"] = "own"
        os.execvp("unshare", ["unshare", *SPACES, sys.executable, *sys.argv])
    program = pathlib.Path(sys.argv[1]).resolve()
    chosen = sys.argv[2:]
    failed = 0
    own = {name: test for name, test in globals().items() if name.startswith("test_")}
    others = {name: test for name, test in vars(shards).items() if name.startswith("test_") and name not in NOT_HERE}
    with tempfile.TemporaryDirectory(prefix="farfield-nfs-") as path, Server(pathlib.Path(path)) as server:
        Shared.export = server.export
        for name, test in {**own, **others}.items():
            if chosen and name not in chosen:
                continue
            start = time.monotonic()
            Shared.clients = [Client(server, f"{name}-{at}", lose) for at, lose in enumerate(LOSE)]
            try:
                folder = Shared(program, server.export / name)
                test(server, folder) if name in own else test(folder)
                print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"{name}: FAILED\n{error}", flush=True)
            print("   ", "; ".join(client.close() for client in Shared.clients), flush=True)
            shutil.rmtree(server.export / name, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
