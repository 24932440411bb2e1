"""Runs shards over an NFS server with two clients: `nfs.py FARFIELD [TEST...]`.

The server is NFS-Ganesha. The clients (nfs_client.py) have their own host names and caches, and lose answers. Every
test of shards.py runs with them: its commands alternate between the two clients, and results are compared on the
server. Everything runs in its own name spaces for mounts, network, processes and host name. Skipped (77) if one of
these is missing or the user is not root.
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
import traceback

import shards
from support import TASKS, Folder, check, models

HERE = pathlib.Path(__file__).resolve().parent
NEEDED = ["ganesha.nfsd", "rpcbind", "unshare", "nsenter", "ip"]
SKIPPED = 77
PORT, MOUNT_PORT = 2049, 20048  # in a network name space of its own
CACHE = 1.0  # seconds for which a client trusts its cache
# Each client loses the answer of one in this number of calls that change names.
LOSE = (7, 11)
# These tests mount something in the folder, ask one host about processes of the other, need a tar that survives lost
# answers, or expect two simultaneous shards to see all results. test_full, test_tar and test_both replace all but the
# second.
NOT_HERE = {"test_full_disk", "test_status", "test_export", "test_twice"}

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
        absent.append("permission to create namespaces")
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
        for path in ("/run", "/var/lib"):  # in this name space only
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
        """Stops without a shutdown. The server forgets which calls it has answered."""
        self.process.kill()
        self.process.wait()

    def resize(self, size, options="remount,"):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"{options}size={size}", "none", self.export], check=True)


class Client:
    """A host that mounts the export."""

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

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "--lazy", self.mount], check=True)
        self.process.wait(30)
        self.log.close()

    def counted(self):
        return pathlib.Path(self.log.name).read_text().strip()


class Shared(Folder):
    """A folder on the server. Each command runs on the next client in turn."""

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

    def gather(self, store="store", output="gathered"):
        """A shard that did not see in time what another finished may leave measurements, but never a training."""
        left = {task["kind"] for task in self.tasks(store) if not task["done"]}
        check("training" not in left, "the shards left trainings undone")
        if left:
            self.shard(0, 1, store)
        return super().gather(store, output)

    def run(self, *arguments, **options):
        time.sleep(CACHE)  # the other client's changes are visible after this time
        return super().run(*arguments, **options)


def fails(code, call):
    try:
        call()
    except OSError as error:
        check(error.errno == code, f"{error}, not {errno.errorcode[code]}")
    else:
        raise AssertionError(f"no {errno.errorcode[code]}")


def test_clients(server, folder):
    """The clients have the faults that the other tests rely on: answers are lost, files become stale, names are cached,
    errors are reported late."""
    one, other = (client.mount / folder.path.relative_to(server.export) for client in folder.clients)
    missed = made = 0
    for at in range(40):
        try:
            (one / f"new-{at}").write_bytes(b"new")
            (one / f"new-{at}").rename(one / f"old-{at}")
        except FileNotFoundError:
            missed += (folder.path / f"old-{at}").exists()
        except FileExistsError:
            made += (folder.path / f"new-{at}").exists()
    check(missed > 0, "no answer to a rename was lost")
    for at in range(40):
        try:
            os.link(one / "s.toml", one / f"link-{at}")
        except FileExistsError:
            made += (folder.path / f"link-{at}").exists()
    check(made > 0, "no answer to a link was lost")

    # Open on one client, replaced by the other.
    (one / "read").write_bytes(b"a" * 1000)
    time.sleep(CACHE)
    with (one / "read").open("rb", buffering=0) as file:
        with contextlib.suppress(OSError):
            (other / "other").write_bytes(b"b" * 1000)
            (other / "other").rename(other / "read")
        check((folder.path / "read").read_bytes() == b"b" * 1000, "the file was not replaced")
        fails(errno.ESTALE, lambda: file.read(1000))
    check((one / "read").read_bytes() == b"b" * 1000, "the reopened file is not the new file")
    # A file replaced on the client that has it open remains readable until it is closed.
    with (one / "read").open("rb", buffering=0) as file:
        with contextlib.suppress(OSError):
            (one / "third").write_bytes(b"c" * 1000)
            (one / "third").rename(one / "read")
        check(file.read(1000) == b"b" * 1000 and list(folder.path.glob(".nfs*")), "no .nfs file")
    until(lambda: not list(folder.path.glob(".nfs*")), "the removal of the .nfs file")

    # A name that did not exist stays absent for a while, and is then visible.
    check(not (one / "late").exists(), "")
    (folder.path / "late").write_bytes(b"")
    check(not (one / "late").exists(), "missing names are not cached")
    until((one / "late").exists, "the new name to be visible")

    # Written data waits for fsync or close.
    server.resize("1m")
    try:
        file = os.open(one / "large", os.O_WRONLY | os.O_CREAT)
        os.write(file, b"d" * (2 << 20))
        fails(errno.ENOSPC, lambda: os.close(file))
    finally:
        (folder.path / "large").unlink()
        server.resize("256m")


def test_restart(server, folder):
    """The server stops four times while shards work; its clients wait and retry."""
    folder = Shared(folder.program, folder.path / "long", steps=1000)
    alone, own = folder.alone()
    processes = [folder.start("run", "s.toml", "--store", "store", "--shard", f"{i}/3", "--threads", 1) for i in range(3)]
    for _ in range(4):
        time.sleep(0.3)
        check(any(process.poll() is None for process in processes), "the shards ended too early")
        server.crash()
        time.sleep(0.3)
        server.start()
    for process in processes:
        error = process.communicate(timeout=300)[1]
        check(process.returncode == 0, error)
    check(folder.gather() == alone and models(folder.path / "store") == own, "restarts changed the results")


def test_full(server, folder):
    """A full server ends a shard with status 3 and a reason. Nothing is damaged, and the bits are the same after space
    is freed."""
    alone, own = folder.alone()
    disk = os.statvfs(server.export)
    server.resize(f"{(disk.f_blocks - disk.f_bfree) * disk.f_frsize // 1024 + 100}k")
    try:
        _, error = folder.shard(0, 1, status=3)
        check("No space left" in error and "not kept" in error, error)
        folder.run("store", "verify", "--store", "store")
    finally:
        server.resize("256m")
    folder.shard(0, 1)
    check(folder.gather() == alone and models(folder.path / "store") == own, "a full server changed the results")


def test_both(server, folder):
    """Two hosts compute the same shard at once. One may miss a result that the other replaces at that moment, and ends
    with status 3. The store stays valid, and the bits are the same."""
    alone, own = folder.alone()
    both = [folder.start("run", "s.toml", "--store", "store", "--shard", "0/1", "--threads", 1) for _ in range(2)]
    for each in both:
        error = each.communicate(timeout=120)[1]
        check(each.returncode == 0 or (each.returncode == 3 and not error), error)
    folder.run("store", "verify", "--store", "store")
    check(folder.gather() == alone and models(folder.path / "store") == own, "two hosts at once gave different results")


def test_tar(server, folder):
    """tar fails if the answer to its mkdir is lost. store import reports this, and imports the rest the next time."""
    alone, own = folder.alone()
    folder.shard(0, 1)
    folder.run("store", "export", "s.toml", "--store", "store", "-o", "part.tar")
    for _ in range(5):
        output, error = folder.run("store", "import", "part.tar", "--store", "to", status=None)
        if f"{TASKS} entries imported" in output:
            break
        check("tar ended with status" in error, error)
    check(folder.gather("to") == alone and models(folder.path / "to") == own, "the tar gave different results")


def main():
    absent = missing()
    if absent:
        print(f"skipped: missing {absent}")
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
            with contextlib.ExitStack() as stack:
                Shared.clients = [stack.enter_context(Client(server, f"{name}-{at}", lose)) for at, lose in enumerate(LOSE)]
                try:
                    folder = Shared(program, server.export / name)
                    test(server, folder) if name in own else test(folder)
                    print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)
                except Exception:  # pylint: disable=broad-except
                    failed += 1
                    print(f"{name}: FAILED\n{traceback.format_exc()}", flush=True)
            print("   ", "; ".join(client.counted() for client in Shared.clients), flush=True)
            shutil.rmtree(server.export / name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
