import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HostFolders } from "../stats/host/host-files.ts";

/** Files by path, relative to a folder. */
type Files = Readonly<Record<string, string>>;

function write(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Writes what the kernel shows of a machine: started at a time, with processes 1 (the host) and 100 (of a pod). */
function writeProc(folder: string): void {
  const devices = (name: string, bytes: number) =>
    `Inter-|   Receive  |  Transmit\n face |bytes packets\n    lo: 9 9 0 0 0 0 0 0 9 9 0 0 0 0 0 0\n  ${name}: ${bytes} 20 1 2 0 0 0 0 ${bytes * 2} 30 3 4 0 0 0 0\nveth1: 5 5 0 0 0 0 0 0 5 5 0 0 0 0 0 0\n`;
  write(folder, {
    stat: "cpu  1 2 3\nbtime 1685577600\n",
    loadavg: "0.00 0.01 0.05 2/345 6789\n",
    meminfo: "MemTotal:        1000 kB\nMemFree:          400 kB\nSwapTotal:        100 kB\nSwapFree:          60 kB\n",
    "sys/kernel/pid_max": "32768\n",
    "sys/kernel/threads-max": "1000\n",
    diskstats: "   8       0 sda 10 1 80 5000 20 2 160 6000 3 7000 8000\n",
    cpuinfo:
      "physical id\t: 0\ncore id\t\t: 0\n\nphysical id\t: 0\ncore id\t\t: 1\n\nphysical id\t: 1\ncore id\t\t: 0\n",
    "self/cgroup": "4:memory:/agent\n0::/agent\n",
    "1/net/dev": devices("ens3", 1000),
    "1/net/route":
      "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\nens3\t00000000\t0100000A\t3\t0\t0\t0\t00000000\n",
    "100/net/dev": devices("eth0", 500),
    "100/stat": "100 (a) b) S 1 2\n",
    "100/limits":
      "Limit                     Soft Limit           Hard Limit\nMax open files            1024                 4096                 files\n",
    "100/fd/0": "",
    "100/fd/1": "",
  });
}

const memoryStat = (inactive: number) =>
  `cache 7\nrss 8\npgfault 3\npgmajfault 1\ntotal_cache 70\ntotal_rss 80\ntotal_mapped_file 60\ntotal_swap 5\ntotal_pgfault 30\ntotal_pgmajfault 10\ntotal_inactive_file ${inactive}\n`;

/** The files of a group of cgroup v1. */
function groupV1(path: string, nanos: number, bytes: number, procs = "", limit = "9223372036854771712"): Files {
  return {
    [`cpuacct/${path}/cpuacct.usage`]: `${nanos}\n`,
    [`cpuacct/${path}/cpuacct.stat`]: "user 30\nsystem 20\n",
    [`cpu/${path}/cpu.stat`]: "nr_periods 9\nnr_throttled 4\nthrottled_time 5000000000\n",
    [`cpu/${path}/cpu.shares`]: "512\n",
    [`cpu/${path}/cpu.cfs_period_us`]: "100000\n",
    [`cpu/${path}/cpu.cfs_quota_us`]: procs === "" ? "-1\n" : "50000\n",
    [`memory/${path}/memory.usage_in_bytes`]: `${bytes}\n`,
    [`memory/${path}/memory.stat`]: memoryStat(100),
    [`memory/${path}/memory.max_usage_in_bytes`]: "5000\n",
    [`memory/${path}/memory.failcnt`]: "6\n",
    [`memory/${path}/memory.kmem.usage_in_bytes`]: "7\n",
    [`memory/${path}/memory.limit_in_bytes`]: `${limit}\n`,
    [`memory/${path}/memory.oom_control`]: "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
    [`memory/${path}/cgroup.procs`]: procs,
    [`pids/${path}/pids.current`]: "3\n",
    [`pids/${path}/pids.max`]: "max\n",
    [`blkio/${path}/blkio.throttle.io_service_bytes`]: "8:0 Read 4096\n8:0 Write 8192\n8:0 Total 12288\nTotal 12288\n",
    [`blkio/${path}/blkio.throttle.io_serviced`]: "8:0 Read 4\n8:0 Write 8\nTotal 12\n",
  };
}

/** The files of a group of cgroup v2. */
function groupV2(path: string, nanos: number, bytes: number, procs = "", limit = "max"): Files {
  const memory: Files =
    path === "."
      ? {}
      : {
          [`${path}/memory.current`]: `${bytes}\n`,
          [`${path}/memory.max`]: `${limit}\n`,
          [`${path}/memory.swap.max`]: "max\n",
        };
  return {
    ...memory,
    [`${path}/cpu.stat`]: `usage_usec ${nanos / 1000}\nuser_usec 300000\nsystem_usec 200000\nnr_periods 9\nnr_throttled 4\nthrottled_usec 5000000\n`,
    [`${path}/cpu.weight`]: "20\n",
    [`${path}/cpu.max`]: procs === "" ? "max 100000\n" : "50000 100000\n",
    [`${path}/memory.stat`]:
      "anon 80\nfile 70\nfile_mapped 60\ninactive_file 100\npgfault 30\npgmajfault 10\nkernel 7\n",
    [`${path}/memory.swap.current`]: "5\n",
    [`${path}/memory.peak`]: "5000\n",
    [`${path}/memory.events`]: "low 0\nmax 6\noom 2\noom_kill 2\n",
    [`${path}/cgroup.procs`]: procs,
    [`${path}/pids.current`]: "3\n",
    [`${path}/pids.max`]: "max\n",
    [`${path}/io.stat`]: "8:0 rbytes=4096 wbytes=8192 rios=4 wios=8 dbytes=0 dios=0\n",
  };
}

/**
 * Writes the folders of a machine with cgroup v1 (driver cgroupfs) or v2 (driver systemd), on which pod `u1` runs: sandbox `s1` with
 * process 100, and container `c1` with a limit of memory.
 */
export function writeHost(folder: string, version: 1 | 2): HostFolders {
  writeProc(join(folder, "proc"));
  const group = version === 1 ? groupV1 : groupV2;
  const pod =
    version === 1
      ? "orchpods/burstable/podu1"
      : "orchpods.slice/orchpods-burstable.slice/orchpods-burstable-podu1.slice";
  const child = (id: string) => (version === 1 ? `${pod}/${id}` : `${pod}/cri-containerd-${id}.scope`);
  const parents = pod.split("/").slice(0, -1);
  write(join(folder, "cgroup"), {
    ...(version === 2 ? { "cgroup.controllers": "cpu memory\n" } : {}),
    ...group(".", 90_000_000_000, 900_000, version === 1 ? "1\n" : ""),
    ...group("agent", 1_000_000_000, 10_000),
    ...group("runtime", 2_000_000_000, 20_000),
    ...Object.assign(
      {},
      ...parents.map((_, index) => group(parents.slice(0, index + 1).join("/"), 8_000_000_000, 50_000)),
    ),
    ...group(pod, 6_000_000_000, 3000),
    ...group(child("s1"), 1_000_000_000, 500, "100\n"),
    ...group(child("c1"), 5_000_000_000, 2000, "100\n", "4000"),
  });
  return { proc: join(folder, "proc"), sys: join(folder, "sys"), cgroup: join(folder, "cgroup") };
}
