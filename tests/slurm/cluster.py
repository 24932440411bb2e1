"""A Slurm cluster of one host, started as root in a folder of its own without changes in /etc."""
import os
import pathlib
import shutil
import socket
import subprocess
import time

NEEDED = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel"]

CONFIGURATION = """
ClusterName=farfield
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={worker_port}
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmdUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0,defer_batch
KillWait=10
MinJobAge=300
JobRequeue=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """The missing programs, or another reason why Slurm cannot start here."""
    absent = [name for name in NEEDED if not shutil.which(name)]
    return ", ".join(absent) if absent else "" if os.geteuid() == 0 else "root"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.processes = []
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def __enter__(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir(parents=True)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        host = socket.gethostname().split(".")[0]
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=host, port=free_port(), worker_port=free_port(), folder=self.folder, cpus=os.cpu_count()))
        self.start("munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket", f"--key-file={key}",
                   f"--pid-file={self.folder}/munged.pid", f"--seed-file={self.folder}/munge.seed",
                   f"--log-file={self.folder}/munged.log")
        self.wait(lambda: (self.folder / "munge.socket").exists(), "munged")
        self.start("slurmctld", "-D", "-i")
        self.start("slurmd", "-D", "-N", host)
        self.wait(lambda: "idle" in self.ask("sinfo", "--noheader", "--format=%t", check=False), "slurmd")
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()

    def start(self, *command):
        with (self.folder / f"{command[0]}.out").open("wb") as log:
            self.processes.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=log))

    def wait(self, is_ready, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not is_ready():
            if time.monotonic() > deadline:
                logs = "".join(path.read_text(errors="replace")[-2000:] for path in self.folder.glob("*.out"))
                raise AssertionError(f"waited {seconds} s for {what}\n{logs}")
            time.sleep(0.2)

    def ask(self, *command, check=True):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False, timeout=60)
        if check and done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
        return done.stdout

    def jobs(self):
        """The states of all jobs in the queue by their names."""
        lines = self.ask("squeue", "--noheader", "--array", "--format=%F_%K %T").splitlines()
        return dict(line.split() for line in lines)
