"""An NFS version 3 client as a FUSE file system: `nfs_client.py SERVER PORT MOUNT_PORT EXPORT FOLDER [--cache SECONDS]
[--lose N]`.

It behaves like the client of a kernel:

- attributes, names, absent names, and listings of folders are cached for --cache seconds, whatever other clients do
- written data waits until fsync or close, which report its errors
- a file that is removed or replaced while it is open here is first renamed to .nfs...; if it is open elsewhere, reading it fails (ESTALE)
- a call without an answer is sent again. With --lose N, the answer of every Nth call that changes names is lost, and the server
  has forgotten the first call. The answer to the second call counts (ENOENT for a rename that happened, EEXIST for a link or a new
  file that was created).
"""
import argparse
import errno
import itertools
import os
import socket
import stat
import struct
import threading
import time

import llfuse

GETATTR, SETATTR, LOOKUP, READ, WRITE, CREATE, MKDIR, SYMLINK, REMOVE, RMDIR, RENAME, LINK, READDIR, FSSTAT, COMMIT = (
    1, 2, 3, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 18, 21)
CHANGES_NAMES = {CREATE, MKDIR, REMOVE, RENAME, LINK}
NFS, MOUNT = 100003, 100005
MOST_AT_ONCE = 1 << 18  # bytes of one READ or WRITE
# Codes of the protocol that differ from this system's errno.
CODES = {63: errno.ENAMETOOLONG, 66: errno.ENOTEMPTY, 69: errno.EDQUOT, 70: errno.ESTALE, 10004: errno.ENOTSUP, 10006: errno.EIO}
TRY_LATER = 10008
KINDS = {1: stat.S_IFREG, 2: stat.S_IFDIR, 3: stat.S_IFBLK, 4: stat.S_IFCHR, 5: stat.S_IFLNK, 6: stat.S_IFSOCK, 7: stat.S_IFIFO}


def opaque(content):
    return struct.pack(">I", len(content)) + content + b"\0" * (-len(content) % 4)


class Answer:
    """The data that a server sent, read from the front."""

    def __init__(self, content):
        self.content, self.at = content, 0

    def take(self, form):
        values = struct.unpack_from(">" + form, self.content, self.at)
        self.at += struct.calcsize(">" + form)
        return values if len(values) > 1 else values[0]

    def opaque(self):
        size = self.take("I")
        content = self.content[self.at:self.at + size]
        self.at += size + -size % 4
        return content

    def attributes(self):
        names = ("kind", "mode", "links", "uid", "gid", "size", "used", "major", "minor", "device", "file", "atime", "atime_ns",
                 "mtime", "mtime_ns", "ctime", "ctime_ns")
        return dict(zip(names, self.take("5I2Q2I2Q6I")))

    def maybe_attributes(self):
        return self.attributes() if self.take("I") else None

    def skip_changes(self):
        if self.take("I"):
            self.take("Q4I")
        self.maybe_attributes()


class Server:
    """The calls of one server. Each thread has its own connection; if it breaks, the same call is sent again."""

    def __init__(self, host, ports, lose):
        self.host, self.ports, self.lose = host, ports, lose
        self.own = threading.local()
        self.numbers = itertools.count(int.from_bytes(os.urandom(3), "big") << 8)
        self.changes = itertools.count(1)
        self.lost = 0

    def call(self, program, procedure, arguments):
        credentials = struct.pack(">I", 0) + opaque(socket.gethostname().encode()) + struct.pack(">III", os.geteuid(), os.getegid(), 0)

        def message():
            number = next(self.numbers) & 0xffffffff
            heading = struct.pack(">6I", number, 0, 2, program, 3, procedure)
            return number, heading + struct.pack(">I", 1) + opaque(credentials) + struct.pack(">II", 0, 0) + arguments

        answer = self.exchange(program, *message())
        if program == NFS and procedure in CHANGES_NAMES and self.lose and next(self.changes) % self.lose == 0:
            self.lost += 1
            answer = self.exchange(program, *message())
        return Answer(answer)

    def exchange(self, program, number, message):
        while True:
            try:
                connection = self.connection(program)
                connection.sendall(struct.pack(">I", 0x80000000 | len(message)) + message)
                answer = self.receive(connection)
                heading = Answer(answer)
                if heading.take("I") != number:
                    raise ConnectionError
                _, accepted, _ = heading.take("3I")
                heading.opaque()
                if accepted != 0 or heading.take("I") != 0:
                    raise llfuse.FUSEError(errno.EIO)
                return answer[heading.at:]
            except (ConnectionError, OSError) as error:
                if isinstance(error, llfuse.FUSEError):
                    raise
                self.own.__dict__.pop(f"to{program}", None)
                time.sleep(0.05)

    def connection(self, program):
        found = self.own.__dict__.get(f"to{program}")
        if not found:
            found = socket.create_connection((self.host, self.ports[program]), timeout=60)
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.own.__dict__[f"to{program}"] = found
        return found

    def receive(self, connection):
        def exactly(size):
            content = bytearray()
            while len(content) < size:
                part = connection.recv(size - len(content))
                if not part:
                    raise ConnectionError
                content += part
            return bytes(content)

        content = b""
        while True:
            (mark,) = struct.unpack(">I", exactly(4))
            content += exactly(mark & 0x7fffffff)
            if mark & 0x80000000:
                return content


class Node:
    """A file of the server that the kernel of this host knows."""

    def __init__(self, handle, inode):
        self.handle, self.inode = handle, inode
        self.known = 0  # lookups that the kernel has not yet forgotten
        self.opened = 0
        self.hidden = None  # (parent, name) of a file that is removed with its last user here
        self.waiting = []  # [(offset, content)] not sent yet
        self.unstable = []  # sent, not yet committed
        self.failed = 0  # the first error of writing since the last fsync or close
        self.listing = None  # (until, [(name, file)])


class Client(llfuse.Operations):
    def __init__(self, server, root, seconds):
        super().__init__()
        self.server, self.seconds = server, seconds
        self.nodes, self.by_handle = {}, {}
        self.node_of(root).known = 1
        self.silly = itertools.count()

    # Calls

    def node_of(self, handle):
        node = self.by_handle.get(handle)
        if not node:
            # The file number on the server. The export's root has the number of the root here.
            file = self.ask(GETATTR, opaque(handle)).attributes()["file"] if self.nodes else llfuse.ROOT_INODE
            node = Node(handle, file)
            self.nodes[node.inode] = self.by_handle[handle] = node
        return node

    def ask(self, procedure, arguments):
        while True:
            with llfuse.lock_released:
                answer = self.server.call(NFS, procedure, arguments)
            code = answer.take("I")
            if code == 0:
                return answer
            if code != TRY_LATER:
                raise llfuse.FUSEError(CODES.get(code, code if code < 100 else errno.EIO))
            with llfuse.lock_released:
                time.sleep(0.1)

    @staticmethod
    def at(node, name):
        return opaque(node.handle) + opaque(name)

    def entry(self, node, found):
        entry = llfuse.EntryAttributes()
        entry.st_ino, entry.generation = node.inode, 0
        entry.entry_timeout = entry.attr_timeout = self.seconds
        entry.st_mode = KINDS[found["kind"]] | found["mode"]
        entry.st_nlink, entry.st_uid, entry.st_gid, entry.st_rdev = found["links"], found["uid"], found["gid"], 0
        entry.st_size, entry.st_blksize, entry.st_blocks = found["size"], MOST_AT_ONCE, (found["used"] + 511) // 512
        for name in ("atime", "mtime", "ctime"):
            setattr(entry, f"st_{name}_ns", found[name] * 10**9 + found[f"{name}_ns"])
        return entry

    def attributes(self, node):
        self.send(node)
        return self.ask(GETATTR, opaque(node.handle)).attributes()

    # Names

    def find(self, parent, name):
        """(node, attributes) of a name on the server, or None if it does not exist."""
        try:
            answer = self.ask(LOOKUP, self.at(parent, name))
        except llfuse.FUSEError as error:
            if error.errno == errno.ENOENT:
                return None
            raise
        node = self.node_of(answer.opaque())
        return node, answer.maybe_attributes() or self.attributes(node)

    def lookup(self, parent_inode, name, ctx):
        found = self.find(self.nodes[parent_inode], name)
        if not found:
            absent = llfuse.EntryAttributes()
            absent.st_ino, absent.entry_timeout = 0, self.seconds
            return absent
        node, attributes = found
        if node.waiting:
            attributes = self.attributes(node)
        self.keep(node)
        return self.entry(node, attributes)

    def keep(self, node):
        """Counts one more answer that names the node. It may have been dropped while an answer of the server was awaited."""
        node.known += 1
        self.nodes[node.inode] = node
        self.by_handle[node.handle] = node

    def forget(self, inode_list):
        for inode, count in inode_list:
            node = self.nodes[inode]
            node.known -= count
            self.drop(node)

    def drop(self, node):
        if node.known <= 0 and node.opened == 0 and node.inode != llfuse.ROOT_INODE:
            self.nodes.pop(node.inode, None)
            self.by_handle.pop(node.handle, None)

    def made(self, parent, answer, name):
        """The node in the answer to CREATE or MKDIR."""
        parent.listing = None
        handle = answer.opaque() if answer.take("I") else None
        found = answer.maybe_attributes()
        node = self.node_of(handle) if handle else self.find(parent, name)[0]
        self.keep(node)
        return node, found or self.attributes(node)

    def mkdir(self, parent_inode, name, mode, ctx):
        parent = self.nodes[parent_inode]
        try:
            answer = self.ask(MKDIR, self.at(parent, name) + struct.pack(">6I", 1, mode & 0o7777 & ~ctx.umask, 0, 0, 0, 0) + b"\0" * 4)
        except llfuse.FUSEError:
            parent.listing = None
            raise
        return self.entry(*self.made(parent, answer, name))

    def create(self, parent_inode, name, mode, flags, ctx):
        parent = self.nodes[parent_inode]
        guarded = 1 if flags & os.O_EXCL else 0
        answer = self.ask(CREATE, self.at(parent, name) + struct.pack(">I6I", guarded, 1, mode & 0o7777 & ~ctx.umask, 0, 0, 0, 0) + b"\0" * 4)
        node, found = self.made(parent, answer, name)
        node.opened += 1
        return node.inode, self.entry(node, found)

    def hide(self, parent, name):
        """Renames a file that is open here, so that it lasts until its last user closes it. Returns whether it did."""
        found = self.find(parent, name)
        if not found or not found[0].opened or found[0].hidden:
            return False
        hidden = f".nfs{os.getpid():08x}{next(self.silly):08x}".encode()
        self.ask(RENAME, self.at(parent, name) + self.at(parent, hidden))
        found[0].hidden = (parent, hidden)
        return True

    def unlink(self, parent_inode, name, ctx):
        parent = self.nodes[parent_inode]
        parent.listing = None
        if not self.hide(parent, name):
            self.ask(REMOVE, self.at(parent, name))

    def rmdir(self, parent_inode, name, ctx):
        parent = self.nodes[parent_inode]
        parent.listing = None
        self.ask(RMDIR, self.at(parent, name))

    def rename(self, parent_inode_old, name_old, parent_inode_new, name_new, ctx):
        old, new = self.nodes[parent_inode_old], self.nodes[parent_inode_new]
        old.listing = new.listing = None
        self.hide(new, name_new)
        self.ask(RENAME, self.at(old, name_old) + self.at(new, name_new))

    def link(self, inode, new_parent_inode, new_name, ctx):
        node, parent = self.nodes[inode], self.nodes[new_parent_inode]
        parent.listing = None
        self.ask(LINK, opaque(node.handle) + self.at(parent, new_name))
        node.known += 1
        return self.entry(node, self.attributes(node))

    # Folders

    def opendir(self, inode, ctx):
        return inode

    def readdir(self, fh, off):
        node = self.nodes[fh]
        if off == 0 and (not node.listing or node.listing[0] < time.monotonic()):
            names, cookie, verifier, end = [], 0, b"\0" * 8, False
            while not end:
                answer = self.ask(READDIR, opaque(node.handle) + struct.pack(">Q", cookie) + verifier + struct.pack(">I", 1 << 16))
                answer.maybe_attributes()
                verifier = struct.pack(">Q", answer.take("Q"))
                while answer.take("I"):
                    file, name = answer.take("Q"), answer.opaque()
                    cookie = answer.take("Q")
                    names.append((name, file))
                end = bool(answer.take("I"))
            node.listing = (time.monotonic() + self.seconds, names)
        for at, (name, file) in enumerate((node.listing or (0, []))[1][off:], off + 1):
            if name in (b".", b".."):
                continue
            entry = llfuse.EntryAttributes()
            entry.st_ino, entry.st_mode = file, 0  # the kind is unknown, so programs ask for it
            yield name, entry, at

    def statfs(self, ctx):
        answer = self.ask(FSSTAT, opaque(self.nodes[llfuse.ROOT_INODE].handle))
        answer.maybe_attributes()
        total, free, available, files, free_files, available_files = answer.take("6Q")
        found = llfuse.StatvfsData()
        found.f_bsize = found.f_frsize = 4096
        found.f_blocks, found.f_bfree, found.f_bavail = total // 4096, free // 4096, available // 4096
        found.f_files, found.f_ffree, found.f_favail = files, free_files, available_files
        return found

    # Files

    def getattr(self, inode, ctx):
        return self.entry(self.nodes[inode], self.attributes(self.nodes[inode]))

    def setattr(self, inode, attr, fields, fh, ctx):
        node = self.nodes[inode]
        self.send(node)

        def chosen(is_chosen, form, value):
            return struct.pack(">I" + form, 1, value) if is_chosen else struct.pack(">I", 0)

        def moment(is_chosen, nanoseconds):
            return struct.pack(">III", 2, *divmod(nanoseconds, 10**9)) if is_chosen else struct.pack(">I", 0)

        self.ask(SETATTR, opaque(node.handle) + chosen(fields.update_mode, "I", attr.st_mode & 0o7777)
                 + chosen(fields.update_uid, "I", attr.st_uid) + chosen(fields.update_gid, "I", attr.st_gid)
                 + chosen(fields.update_size, "Q", attr.st_size) + moment(fields.update_atime, attr.st_atime_ns)
                 + moment(fields.update_mtime, attr.st_mtime_ns) + struct.pack(">I", 0))
        return self.entry(node, self.attributes(node))

    def open(self, inode, flags, ctx):
        # Opening asks the server, like the clients of kernels do. For a removed file the answer is ESTALE, after which
        # the kernel looks the name up again.
        node = self.nodes[inode]
        self.ask(GETATTR, opaque(node.handle))
        node.opened += 1
        return inode

    def read(self, fh, off, size):
        node = self.nodes[fh]
        self.send(node)
        content = b""
        while len(content) < size:
            answer = self.ask(READ, opaque(node.handle) + struct.pack(">QI", off + len(content), min(size - len(content), MOST_AT_ONCE)))
            answer.maybe_attributes()
            _, end = answer.take("II")
            part = answer.opaque()
            content += part
            if end or not part:
                break
        return content

    def write(self, fh, off, buf):
        self.nodes[fh].waiting.append((off, bytes(buf)))
        return len(buf)

    def send(self, node):
        """Sends waiting data. The next fsync or close reports an error; the data of a failed call is lost."""
        try:
            self.send_waiting(node)
        except llfuse.FUSEError as error:
            node.failed = node.failed or error.errno

    def send_waiting(self, node):
        waiting, node.waiting = node.waiting, []
        for off, content in waiting:
            at = 0
            while at < len(content):
                part = content[at:at + MOST_AT_ONCE]
                answer = self.ask(WRITE, opaque(node.handle) + struct.pack(">QII", off + at, len(part), 0) + opaque(part))
                answer.skip_changes()
                count, _, verifier = answer.take("IIQ")
                node.unstable.append((off + at, part[:count], verifier))
                at += count

    def commit(self, node):
        """Makes sure that all written data is on the server's disk, also after restarts of the server."""
        self.send(node)
        while node.unstable:
            answer = self.ask(COMMIT, opaque(node.handle) + struct.pack(">QI", 0, 0))
            answer.skip_changes()
            verifier = answer.take("Q")
            unstable, node.unstable = node.unstable, []
            node.waiting = [(off, content) for off, content, before in unstable if before != verifier]
            self.send(node)
        failed, node.failed = node.failed, 0
        if failed:
            raise llfuse.FUSEError(failed)

    def fsync(self, fh, datasync):
        self.commit(self.nodes[fh])

    def flush(self, fh):
        self.commit(self.nodes[fh])

    def fsyncdir(self, fh, datasync):
        pass

    def release(self, fh):
        node = self.nodes[fh]
        node.opened -= 1
        if node.opened == 0 and node.hidden:
            parent, name = node.hidden
            node.hidden = None
            try:
                self.ask(REMOVE, self.at(parent, name))
            except llfuse.FUSEError:
                pass
        self.drop(node)

    def releasedir(self, fh):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("port", type=int)
    parser.add_argument("mount_port", type=int)
    parser.add_argument("export")
    parser.add_argument("folder")
    parser.add_argument("--cache", type=float, default=3)
    parser.add_argument("--lose", type=int, default=0)
    options = parser.parse_args()
    server = Server(options.server, {NFS: options.port, MOUNT: options.mount_port}, options.lose)
    answer = server.call(MOUNT, 1, opaque(options.export.encode()))
    code = answer.take("I")
    if code:
        raise SystemExit(f"{options.server} refuses to mount {options.export}: {os.strerror(code)}")
    client = Client(server, answer.opaque(), options.cache)
    llfuse.init(client, options.folder, {"fsname=nfs", "big_writes", "max_write=131072", "default_permissions"})
    try:
        llfuse.main(workers=8)
    finally:
        llfuse.close(unmount=False)
        print(f"{server.lost} answers lost")


if __name__ == "__main__":
    main()
