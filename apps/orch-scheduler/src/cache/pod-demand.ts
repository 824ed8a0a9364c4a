import type { core } from "@orchernetes/api";
import { podRequestUnits, type UnitAmounts } from "@orchernetes/component-helpers";
import { nonZeroRequests } from "./non-zero-requests.ts";

/** A host port of a pod. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** What the containers of a pod take of a node. Pods of one template share it. */
export interface PodDemand {
  readonly requests: UnitAmounts;
  /** The requests once more, for counting pods: CPU in thousandths and memory in bytes, 0 without a request. */
  readonly cpu: number;
  readonly memory: number;
  /** Requests for anything else. */
  readonly others: readonly (readonly [resource: string, amount: number])[];
  readonly nonZeroCpu: number;
  readonly nonZeroMemory: number;
  readonly hostPorts: readonly HostPort[];
}

const NO_PORTS: readonly HostPort[] = [];

/**
 * Returns the host ports of a pod. Init containers are ignored, as upstream does: they have ended when the others
 * start. Most pods have none, and share one empty list.
 */
export function hostPorts(spec: core.PodSpec): readonly HostPort[] {
  let ports: HostPort[] | undefined;
  for (const container of spec.containers)
    for (const { hostPort, hostIP, protocol } of container.ports ?? [])
      if (hostPort) {
        ports ??= [];
        ports.push({ ip: hostIP || "0.0.0.0", protocol: protocol ?? "TCP", port: hostPort });
      }
  return ports ?? NO_PORTS;
}

function computeDemand(spec: core.PodSpec): PodDemand {
  const requests = podRequestUnits(spec);
  const nonZero = nonZeroRequests(spec);
  return {
    requests,
    cpu: requests.get("cpu") ?? 0,
    memory: requests.get("memory") ?? 0,
    others: [...requests].filter(([resource]) => resource !== "cpu" && resource !== "memory"),
    nonZeroCpu: nonZero.cpu,
    nonZeroMemory: nonZero.memory,
    hostPorts: hostPorts(spec),
  };
}

/** A demand with the parts of a spec, apart from its containers, that it was computed from. */
interface Computed {
  readonly initContainers: core.PodSpec["initContainers"];
  readonly overhead: core.PodSpec["overhead"];
  readonly demand: PodDemand;
}

const byContainers = new WeakMap<readonly core.Container[], Computed>();

/** What a pod takes of a node; computed once for pods whose specs share their parts. @throws QuantityError */
export function podDemand(spec: core.PodSpec): PodDemand {
  const { containers, initContainers, overhead } = spec;
  const known = byContainers.get(containers);
  if (known !== undefined && known.initContainers === initContainers && known.overhead === overhead)
    return known.demand;
  const demand = computeDemand(spec);
  byContainers.set(containers, { initContainers, overhead, demand });
  return demand;
}
