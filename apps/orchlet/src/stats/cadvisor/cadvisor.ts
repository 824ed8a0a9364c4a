import { type Logger, messageOf, systemEventLoop } from "@orchernetes/kernel";
import { diskCounters } from "../host/disk-counters.ts";
import { devicesOf } from "../host/file-system-usage.ts";
import { MetricsPage } from "../metrics-page.ts";
import { runningPods } from "../running-pods.ts";
import type { UsageSource } from "../usage-source.ts";
import { containerFamilies } from "./cadvisor-families.ts";
import { type ShownGroup, shownGroups } from "./cadvisor-groups.ts";
import { GroupMetrics, type HostDisks } from "./cadvisor-samples.ts";
import { machineMetrics } from "./machine-metrics.ts";

/**
 * The response of `/metrics/cadvisor`: the machine, the control groups of the node and of its pods, and their containers, with families
 * and labels of the original. If the runtime does not answer, the groups of pods have no names, and `container_scrape_error` is 1.
 */
export async function cadvisorMetrics(source: UsageSource, logger: Logger): Promise<string> {
  const page = new MetricsPage(containerFamilies);
  const nowMs = source.clock.nowMs();
  let groups: readonly ShownGroup[];
  try {
    groups = shownGroups(source, await runningPods(source.cri, source.groups, source.settings.cgroupRoot));
    page.add("container_scrape_error", "", 0);
  } catch (error) {
    logger.warn("Unable to read the usage of containers", { error: messageOf(error) });
    groups = shownGroups(source, []);
    page.add("container_scrape_error", "", 1);
  }
  const samples = new GroupMetrics(source, page, await hostDisks(source, groups), nowMs);
  for (const group of groups) {
    samples.add(group);
    // Each group costs tens of system calls.
    await systemEventLoop.nextTurn();
  }
  return machineMetrics(source) + page.text();
}

async function hostDisks(source: UsageSource, groups: readonly ShownGroup[]): Promise<HostDisks> {
  const { proc, rootDir, fileSystems } = source;
  const writable = groups.flatMap(({ container }) => container?.stats?.writableLayer?.fsId?.mountpoint || []);
  return {
    counters: diskCounters(proc),
    devices: await devicesOf(source, [rootDir, ...writable]),
    root: await fileSystems.space(rootDir).catch(() => undefined),
  };
}
