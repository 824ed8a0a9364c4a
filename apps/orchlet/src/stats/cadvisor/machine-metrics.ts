import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../host/host-files.ts";
import { labelText, MetricsPage } from "../metrics-page.ts";
import type { UsageSource } from "../usage-source.ts";
import { machineFamilies } from "./cadvisor-families.ts";

/** The metrics of the machine, as a part of a page. */
export function machineMetrics({ machine, proc, sys }: UsageSource): string {
  const page = new MetricsPage(machineFamilies);
  const { bootID, machineID, systemUUID, kernelVersion, osImage } = machine;
  const base = { boot_id: bootID, machine_id: machineID, system_uuid: systemUUID };
  const labels = labelText(base);
  const version = { cadvisorRevision: "", cadvisorVersion: "", dockerVersion: "", kernelVersion, osVersion: osImage };
  page.add("cadvisor_version_info", labelText(version), 1);
  const { cores, sockets } = processors(proc);
  page.add("machine_cpu_cores", labels, machine.cpus);
  page.add("machine_cpu_physical_cores", labels, cores || machine.cpus);
  page.add("machine_cpu_sockets", labels, sockets || 1);
  page.add("machine_memory_bytes", labels, machine.memoryBytes);
  if (!hasPersistentMemory(sys)) {
    page.add("machine_nvm_avg_power_budget_watts", labels, 0);
    for (const mode of ["app_direct_mode", "memory_mode"])
      page.add("machine_nvm_capacity", labelText({ ...base, mode }), 0);
  }
  page.add("machine_scrape_error", "", 0);
  const swap = /^SwapTotal:\s+(\d+) kB$/m.exec(readText(proc, "meminfo") ?? "")?.[1];
  page.add("machine_swap_bytes", labels, Number(swap ?? 0) * 1024);
  return page.text();
}

/** Cores and sockets, from the processors' numbers of both; 0 where the kernel does not tell them. */
function processors(proc: string): { readonly cores: number; readonly sockets: number } {
  const text = readText(proc, "cpuinfo") ?? "";
  const cores = new Set<string>();
  const sockets = new Set<string>();
  for (const block of text.split("\n\n")) {
    const socket = /^physical id\s*: (\d+)$/m.exec(block)?.[1];
    const core = /^core id\s*: (\d+)$/m.exec(block)?.[1];
    if (socket === undefined) continue;
    sockets.add(socket);
    cores.add(`${socket}/${core ?? ""}`);
  }
  return { cores: cores.size, sockets: sockets.size };
}

/** Whether there are modules of persistent memory, whose figures need a library of their maker. */
function hasPersistentMemory(sys: string): boolean {
  try {
    return readdirSync(join(sys, "bus/nd/devices")).some((name) => name.startsWith("nmem"));
  } catch {
    return false;
  }
}
