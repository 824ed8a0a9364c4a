import type { core } from "@orchernetes/api";
import { keyOf, type Stored } from "@orchernetes/apimachinery";
import { type Amounts, nonZeroRequests, podRequests } from "./pod-requests.ts";

/** A port of the host that a pod claims. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** A pod with what scheduling needs of it worked out once. */
export interface PodInfo {
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  readonly pod: Stored<core.Pod>;
  readonly priority: number;
  readonly requests: Amounts;
  readonly nonZeroCpu: number;
  readonly nonZeroMemory: number;
  readonly hostPorts: readonly HostPort[];
}

function hostPorts(spec: core.PodSpec): readonly HostPort[] {
  const ports: HostPort[] = [];
  for (const container of spec.containers)
    for (const { hostPort, hostIP, protocol } of container.ports ?? [])
      if (hostPort) ports.push({ ip: hostIP || "0.0.0.0", protocol: protocol ?? "TCP", port: hostPort });
  return ports;
}

export function podInfo(pod: Stored<core.Pod>): PodInfo {
  const nonZero = nonZeroRequests(pod.spec);
  return {
    key: keyOf(pod),
    uid: pod.metadata.uid,
    pod,
    priority: pod.spec.priority ?? 0,
    requests: podRequests(pod.spec),
    nonZeroCpu: nonZero.cpu,
    nonZeroMemory: nonZero.memory,
    hostPorts: hostPorts(pod.spec),
  };
}
