import type { core } from "@orchernetes/api";

interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const everyAddress = "0.0.0.0";

/** The host ports of a pod's containers. */
function hostPortsOf({ spec }: core.Pod): readonly HostPort[] {
  return spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, hostIP, protocol = "TCP" }) =>
      hostPort ? [{ ip: hostIP || everyAddress, protocol, port: hostPort }] : [],
    ),
  );
}

/** Whether a host port of the pod is used by another pod. 0.0.0.0 conflicts with every address. */
export function hostPortsConflict(pod: core.Pod, others: readonly core.Pod[]): boolean {
  const wanted = hostPortsOf(pod);
  if (wanted.length === 0) return false;
  const taken = new Map<string, Set<string>>();
  for (const { ip, protocol, port } of others.flatMap(hostPortsOf)) {
    const key = `${protocol}/${port}`;
    taken.set(key, (taken.get(key) ?? new Set()).add(ip));
  }
  return wanted.some(({ ip, protocol, port }) => {
    const ips = taken.get(`${protocol}/${port}`);
    return ips !== undefined && (ip === everyAddress || ips.has(everyAddress) || ips.has(ip));
  });
}
