import type { FileSystemSpace } from "@orchernetes/host";
import type { CpuUsage, MemoryUsage } from "../host/cgroup-usage.ts";
import type { DiskCounters } from "../host/disk-counters.ts";
import { networkUsage } from "../host/network-usage.ts";
import { processUsage } from "../host/process-usage.ts";
import { labelText, type MetricsPage } from "../metrics-page.ts";
import { runtimeMemory } from "../summary/summary-parts.ts";
import type { UsageSource } from "../usage-source.ts";
import type { ContainerFamily } from "./cadvisor-families.ts";
import type { ShownGroup } from "./cadvisor-groups.ts";

const nanos = 1e9;

/** Data of the host that is read once for all groups. */
export interface HostDisks {
  /** By their numbers, as `8:0`. */
  readonly counters: ReadonlyMap<string, DiskCounters>;
  /** Devices of file systems by a path on each. */
  readonly devices: ReadonlyMap<string, string>;
  /** The file system of the agent's root folder; undefined if it does not answer. */
  readonly root: FileSystemSpace | undefined;
}

/** Adds the samples of control groups to a page. */
export class GroupMetrics {
  readonly #source: UsageSource;
  readonly #page: MetricsPage<ContainerFamily>;
  readonly #disks: HostDisks;
  readonly #nowMs: number;

  constructor(source: UsageSource, page: MetricsPage<ContainerFamily>, disks: HostDisks, nowMs: number) {
    this.#source = source;
    this.#page = page;
    this.#disks = disks;
    this.#nowMs = nowMs;
  }

  /** Adds every sample of a group. */
  add(group: ShownGroup): void {
    const { groups } = this.#source;
    const { path, container } = group;
    const cpu = groups.cpu(path);
    const memory = groups.memory(path);
    const reported = container?.stats && runtimeMemory(container.stats);
    const add = this.#adder(group);
    add("container_last_seen", Math.floor(this.#nowMs / 1000));
    if (cpu !== undefined) addCpu(add, cpu, groups.limits(path).cpuQuotaUs !== undefined);
    else
      add("container_cpu_usage_seconds_total", seconds(container?.stats?.cpu?.usageCoreNanoSeconds), { cpu: "total" });
    if (memory !== undefined) addMemory(add, memory);
    else if (reported !== undefined) {
      add("container_memory_rss", reported.rssBytes);
      add("container_memory_usage_bytes", reported.usageBytes);
      add("container_memory_working_set_bytes", reported.workingSetBytes);
    }
    add("container_oom_events_total", groups.oomKills(path));
    this.#addLimits(group);
    this.#addDisks(path, add);
    this.#addProcesses(group, add);
    if (path === "/") this.#addFileSystems(add);
    const used = container?.stats?.writableLayer;
    if (used?.usedBytes !== undefined)
      add("container_fs_usage_bytes", used.usedBytes, {
        device: this.#disks.devices.get(used.fsId?.mountpoint ?? "") ?? "",
      });
  }

  #adder({ labels, path }: ShownGroup): Add {
    const base = { ...labels, id: path };
    const plain = labelText(base);
    return (family, value, more) =>
      this.#page.add(family, more === undefined ? plain : labelText({ ...base, ...more }), value, this.#nowMs);
  }

  /** Values that change rarely, without a timestamp. */
  #addLimits(group: ShownGroup): void {
    const { groups, machine } = this.#source;
    const { path, createdMs } = group;
    const base = labelText({ ...group.labels, id: path });
    const add = (family: ContainerFamily, value: number | undefined) => this.#page.add(family, base, value);
    add("container_start_time_seconds", createdMs === undefined ? undefined : Math.floor(createdMs / 1000));
    if (!groups.exists(path)) return;
    const limits = groups.limits(path);
    add("container_spec_cpu_period", limits.cpuPeriodUs);
    add("container_spec_cpu_quota", limits.cpuQuotaUs);
    add("container_spec_cpu_shares", limits.cpuShares);
    add("container_spec_memory_limit_bytes", limits.memoryBytes ?? (path === "/" ? machine.memoryBytes : 0));
    add("container_spec_memory_reservation_limit_bytes", limits.memoryReservationBytes ?? 0);
    add("container_spec_memory_swap_limit_bytes", limits.memorySwapBytes ?? 0);
  }

  #addDisks(path: string, add: Add): void {
    for (const disk of this.#source.groups.disks(path)) {
      const { major, minor } = disk;
      const device = this.#disks.counters.get(`${major}:${minor}`)?.device ?? "";
      const named = { device, major: String(major), minor: String(minor) };
      add("container_blkio_device_usage_total", disk.readBytes, { ...named, operation: "Read" });
      add("container_blkio_device_usage_total", disk.writeBytes, { ...named, operation: "Write" });
      add("container_fs_reads_bytes_total", disk.readBytes, { device });
      add("container_fs_writes_bytes_total", disk.writeBytes, { device });
      // The root's are those of its file systems.
      if (path === "/") continue;
      add("container_fs_reads_total", disk.readOperations, { device });
      add("container_fs_writes_total", disk.writeOperations, { device });
    }
  }

  #addProcesses({ path, hasNetwork }: ShownGroup, add: Add): void {
    const { groups, proc } = this.#source;
    const pids = groups.processes(path);
    const used = processUsage(proc, pids);
    add("container_processes", used.processes);
    add("container_file_descriptors", used.fileDescriptors);
    add("container_sockets", used.sockets);
    add("container_threads", groups.threads(path));
    if (groups.exists(path)) add("container_threads_max", groups.limits(path).threads ?? 0);
    add("container_ulimits_soft", used.maxOpenFiles, { ulimit: "max_open_files" });
    for (const [state, count] of Object.entries({ ...used.states, iowaiting: 0 }))
      add("container_tasks_state", count, { state });
    const pid = path === "/" ? 1 : pids[0];
    if (!hasNetwork || pid === undefined) return;
    for (const { name, ...counts } of networkUsage(proc, pid)) {
      const named = { interface: name };
      add("container_network_receive_bytes_total", counts.rxBytes, named);
      add("container_network_receive_packets_total", counts.rxPackets, named);
      add("container_network_receive_packets_dropped_total", counts.rxDropped, named);
      add("container_network_receive_errors_total", counts.rxErrors, named);
      add("container_network_transmit_bytes_total", counts.txBytes, named);
      add("container_network_transmit_packets_total", counts.txPackets, named);
      add("container_network_transmit_packets_dropped_total", counts.txDropped, named);
      add("container_network_transmit_errors_total", counts.txErrors, named);
    }
  }

  /** The file system of the agent's root folder, with the counters of its device. */
  #addFileSystems(add: Add): void {
    const { root: fs, devices, counters } = this.#disks;
    const named = { device: devices.get(this.#source.rootDir) ?? "" };
    if (fs === undefined) return;
    add("container_fs_inodes_free", fs.inodesFree, named);
    add("container_fs_inodes_total", fs.inodes, named);
    add("container_fs_limit_bytes", fs.capacityBytes, named);
    add("container_fs_usage_bytes", fs.usedBytes, named);
    const disk = [...counters.values()].find(({ device }) => device === named.device);
    if (disk === undefined) return;
    add("container_fs_reads_total", disk.reads, named);
    add("container_fs_reads_merged_total", disk.readsMerged, named);
    add("container_fs_sector_reads_total", disk.sectorsRead, named);
    add("container_fs_read_seconds_total", disk.readMs / 1000, named);
    add("container_fs_writes_total", disk.writes, named);
    add("container_fs_writes_merged_total", disk.writesMerged, named);
    add("container_fs_sector_writes_total", disk.sectorsWritten, named);
    add("container_fs_write_seconds_total", disk.writeMs / 1000, named);
    add("container_fs_io_current", disk.inProgress, named);
    add("container_fs_io_time_seconds_total", disk.ioMs / 1000, named);
    add("container_fs_io_time_weighted_seconds_total", disk.weightedIoMs / 1000, named);
  }
}

type Add = (family: ContainerFamily, value: number | undefined, more?: Readonly<Record<string, string>>) => void;

const seconds = (count: number | undefined): number | undefined => (count === undefined ? undefined : count / nanos);

function addCpu(add: Add, cpu: CpuUsage, hasQuota: boolean): void {
  add("container_cpu_user_seconds_total", seconds(cpu.userNanos));
  add("container_cpu_system_seconds_total", seconds(cpu.systemNanos));
  add("container_cpu_usage_seconds_total", seconds(cpu.usageNanos), { cpu: "total" });
  if (!hasQuota) return;
  add("container_cpu_cfs_periods_total", cpu.periods);
  add("container_cpu_cfs_throttled_periods_total", cpu.throttledPeriods);
  add("container_cpu_cfs_throttled_seconds_total", seconds(cpu.throttledNanos));
}

function addMemory(add: Add, memory: MemoryUsage): void {
  add("container_memory_cache", memory.cacheBytes);
  add("container_memory_rss", memory.rssBytes);
  add("container_memory_kernel_usage", memory.kernelBytes);
  add("container_memory_mapped_file", memory.mappedFileBytes);
  add("container_memory_swap", memory.swapBytes);
  add("container_memory_failcnt", memory.limitHits);
  add("container_memory_usage_bytes", memory.usageBytes);
  add("container_memory_max_usage_bytes", memory.maxUsageBytes);
  add("container_memory_working_set_bytes", memory.workingSetBytes);
  const fails = (failure_type: string, scope: string) => ({ failure_type, scope });
  add("container_memory_failures_total", memory.ownPageFaults ?? memory.pageFaults, fails("pgfault", "container"));
  add(
    "container_memory_failures_total",
    memory.ownMajorPageFaults ?? memory.majorPageFaults,
    fails("pgmajfault", "container"),
  );
  add("container_memory_failures_total", memory.pageFaults, fails("pgfault", "hierarchy"));
  add("container_memory_failures_total", memory.majorPageFaults, fails("pgmajfault", "hierarchy"));
}
