"""Runs a program whose standard output is a terminal or a pipe."""
import fcntl
import os
import pty
import struct
import subprocess
import termios


def output_of(command, is_terminal=True, columns=None, **options):
    """The text that the program writes to its standard output, and its status. `columns` is the width of the terminal,
    and `options` are those of subprocess.Popen."""
    ours, theirs = pty.openpty() if is_terminal else os.pipe()
    if columns:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, **options)
    os.close(theirs)
    text = b""
    try:
        while part := os.read(ours, 65536):
            text += part
    except OSError:  # the other end of a terminal is closed
        pass
    os.close(ours)
    return text.decode().replace("\r\n", "\n"), process.wait(60)
