import type { Metrics } from "@orchernetes/component";
import type { IpRange } from "../allocators/ip-range.ts";
import type { RepairObserver } from "../allocators/repair-loop.ts";
import type { AllocationObserver, ServiceAllocator } from "../allocators/service-allocator.ts";

const addresses = "orch_apiserver_clusterip_allocator";
const ports = "orch_apiserver_nodeport_allocator";

/** Counts the addresses and node ports that services are given. */
export function allocationMetrics(metrics: Metrics): AllocationObserver {
  const counters = (prefix: string, what: string, labelNames: readonly string[]) => ({
    total: metrics.counter({ name: `${prefix}_allocation_total`, help: `${what} that were given out.`, labelNames }),
    errors: metrics.counter({
      name: `${prefix}_allocation_errors_total`,
      help: `${what} that could not be given out.`,
      labelNames,
    }),
  });
  const ofAddresses = counters(addresses, "Cluster IPs", ["cidr", "scope"]);
  const ofPorts = counters(ports, "Node ports", ["scope"]);
  return {
    address: ({ cidr }, scope, taken) => (taken ? ofAddresses.total : ofAddresses.errors).inc([cidr, scope]),
    port: (scope, taken) => (taken ? ofPorts.total : ofPorts.errors).inc([scope]),
  };
}

/** Counts what the repair loop of allocations finds. */
export function repairMetrics(metrics: Metrics): RepairObserver {
  const counters = (prefix: string, what: string) => ({
    problems: metrics.counter({
      name: `${prefix}_errors_total`,
      help: `${what} that services have and should not, or that are allocated to nobody, by type.`,
      labelNames: ["type"],
    }),
  });
  const failures = (prefix: string, what: string) =>
    metrics.counter({
      name: `${prefix}_reconcile_errors_total`,
      help: `Passes over the allocations of ${what} that failed.`,
    });
  const of = {
    clusterip: {
      ...counters("orch_apiserver_clusterip_repair_ip", "Cluster IPs"),
      failures: failures("orch_apiserver_clusterip_repair", "cluster IPs"),
    },
    nodeport: {
      ...counters("orch_apiserver_nodeport_repair_port", "Node ports"),
      failures: failures("orch_apiserver_nodeport_repair", "node ports"),
    },
  };
  return {
    problem: (range, type) => of[range].problems.inc([type]),
    failed: (range) => of[range].failures.inc(),
  };
}

/** How many addresses and node ports are taken and free; read when the page is. */
export function addAllocatorMetrics(
  metrics: Metrics,
  allocator: Pick<ServiceAllocator, "ranges" | "addressesIn" | "portsIn">,
): void {
  const gauge = (name: string, help: string, read: (range: IpRange) => number) =>
    metrics.gauge({
      name: `${addresses}_${name}`,
      help,
      labelNames: ["cidr"],
      collect: (g) => {
        for (const range of allocator.ranges) g.set(read(range), [range.cidr]);
      },
    });
  gauge("allocated_ips", "Cluster IPs that services have.", (range) => allocator.addressesIn(range).taken);
  gauge("available_ips", "Cluster IPs that are free.", (range) => allocator.addressesIn(range).free);
  metrics.gauge({
    name: `${ports}_allocated_ports`,
    help: "Number of node ports allocated to Services.",
    collect: (g) => g.set(allocator.portsIn().taken),
  });
  metrics.gauge({
    name: `${ports}_available_ports`,
    help: "Number of available node ports.",
    collect: (g) => g.set(allocator.portsIn().free),
  });
}
