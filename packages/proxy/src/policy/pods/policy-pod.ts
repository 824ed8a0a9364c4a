import type { core } from "@orchernetes/api";
import { isPodTerminal } from "@orchernetes/component-helpers";
import { type Address, readAddress } from "../values/addresses.ts";
import { isPolicyProtocol, type PolicyProtocol } from "../values/protocols.ts";

/** What policies need to know of a pod that has addresses of its own. */
export interface PolicyPod {
  /** Unique among pods. */
  readonly key: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Distinct; at least one. */
  readonly addresses: readonly Address[];
  readonly ports: readonly NamedPort[];
  /** The name of the node that it runs on. */
  readonly node: string;
  /** Whether it runs on the node whose table is built, so that policies are enforced for it here. */
  readonly isLocal: boolean;
  /** Whether it is being deleted. */
  readonly isLeaving: boolean;
  /** Of two pods of a node, the one that was created later has the higher rank. Unique. */
  readonly rank: string;
}

/** A container port that policies can refer to by name. */
interface NamedPort {
  readonly protocol: PolicyProtocol;
  readonly name: string;
  readonly port: number;
}

/**
 * Reads a pod; undefined if policies do not concern it: it has no address, it has ended (its address may be that of
 * another pod by now), or it uses the network of its node and has no address of its own.
 */
export function readPolicyPod(key: string, pod: core.Pod, nodeName: string): PolicyPod | undefined {
  const { metadata, spec, status } = pod;
  if (spec.hostNetwork === true || isPodTerminal(pod)) return undefined;
  const addresses = new Map<string, Address>();
  for (const text of [...(status?.podIPs ?? []).map(({ ip }) => ip), status?.podIP]) {
    const address = readAddress(text ?? "");
    if (address !== undefined) addresses.set(address.text, address);
  }
  if (addresses.size === 0) return undefined;
  const namespace = metadata.namespace ?? "";
  return {
    key,
    namespace,
    labels: metadata.labels ?? {},
    addresses: [...addresses.values()],
    ports: namedPorts(spec),
    node: spec.nodeName ?? "",
    isLocal: spec.nodeName === nodeName,
    isLeaving: metadata.deletionTimestamp !== undefined,
    rank: [metadata.creationTimestamp ?? "", metadata.uid ?? "", key].join(" "),
  };
}

function namedPorts({ containers }: core.PodSpec): readonly NamedPort[] {
  return containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ name, containerPort, protocol = "TCP" }) =>
      name && isPolicyProtocol(protocol) && isPort(containerPort) ? [{ protocol, name, port: containerPort }] : [],
    ),
  );
}

/** Whether a number can be the port of a connection. */
export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}
