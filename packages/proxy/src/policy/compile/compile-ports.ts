import type { networking } from "@orchernetes/api";
import type { NftSet } from "../../nft/table.ts";
import { isPort } from "../pods/policy-pod.ts";
import { isPolicyProtocol, type PolicyProtocol, policyProtocols, protocolNames } from "../values/protocols.ts";
import { mergeRanges, type Range } from "../values/ranges.ts";
import { fixedSet } from "./fixed-set.ts";
import { type LiveSetSpec, namedPortSet, type PortName } from "./live-set.ts";

/** The ports of a rule: every port and protocol, or those in two sets. With neither no port at all. */
export type PortMatch =
  | { readonly kind: "any" }
  | { readonly kind: "some"; readonly numbers: NftSet | undefined; readonly names: LiveSetSpec | undefined };

/** What the `ports` of one rule or of several name. */
interface NamedPorts {
  readonly ranges: ProtocolRanges;
  readonly names: PortName[];
}

type ProtocolRanges = Readonly<Record<PolicyProtocol, Range[]>>;

/** Compiles the ports of a rule. An absent or empty list means every port of every protocol. */
export function compilePorts(
  ports: readonly networking.NetworkPolicyPort[] | undefined,
  report: (error: string) => void,
): PortMatch {
  return compilePortLists([{ ports, report }]);
}

/** Compiles the ports of several rules as those of one: whatever one of them matches. */
export function compilePortLists(
  lists: readonly {
    readonly ports: readonly networking.NetworkPolicyPort[] | undefined;
    readonly report: (error: string) => void;
  }[],
): PortMatch {
  const found: NamedPorts = { ranges: { TCP: [], UDP: [], SCTP: [] }, names: [] };
  let isAny = false;
  for (const { ports = [], report } of lists) {
    if (ports.length === 0) isAny = true;
    else readPorts(ports, found, report);
  }
  if (isAny) return { kind: "any" };
  return {
    kind: "some",
    numbers: numberSet(found.ranges),
    names: found.names.length === 0 ? undefined : namedPortSet(found.names),
  };
}

function readPorts(
  ports: readonly networking.NetworkPolicyPort[],
  { ranges, names }: NamedPorts,
  report: (error: string) => void,
): void {
  for (const [i, { protocol = "TCP", port, endPort }] of ports.entries()) {
    if (!isPolicyProtocol(protocol)) report(`ports[${i}]: invalid protocol ${JSON.stringify(protocol)}`);
    else if (typeof port === "string") names.push({ protocol, name: port });
    else {
      const range = portRange(port, endPort);
      if (range === undefined) report(`ports[${i}]: invalid port range ${port}-${endPort}`);
      else ranges[protocol].push(range);
    }
  }
}

function portRange(port: number | undefined, endPort: number | undefined): Range | undefined {
  if (port === undefined) return { start: 0n, end: 65_535n };
  const end = endPort ?? port;
  return isPort(port) && isPort(end) && end >= port ? { start: BigInt(port), end: BigInt(end) } : undefined;
}

/** The set of the ports; undefined if there is none. */
function numberSet(ranges: ProtocolRanges): NftSet | undefined {
  const merged = policyProtocols.flatMap((protocol) =>
    mergeRanges(ranges[protocol]).map((range) => ({ protocol, ...range })),
  );
  if (merged.length === 0) return undefined;
  const isInterval = merged.some(({ start, end }) => start !== end);
  const elements = merged.map(
    ({ protocol, start, end }) => `${protocolNames[protocol]} . ${start === end ? start : `${start}-${end}`}`,
  );
  return fixedSet("ports", "inet_proto . inet_service", isInterval, elements);
}
