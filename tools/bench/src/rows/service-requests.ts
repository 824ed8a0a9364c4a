import { noPacketFilter } from "@orchernetes/proxy/testing";
import { median } from "../compare/comparison.ts";
import { plainRate, wrkInstalled } from "../load/wrk.ts";
import type { Row } from "../row.ts";
import { podUrl, serviceUrls, startServiceNode } from "./service-node.ts";

const CONNECTIONS = 16;
/** Services beside the one that is measured. */
const OTHERS = 1000;

const kinds = [
  { suffix: "", newConnections: false, what: `${CONNECTIONS} connections that are kept` },
  { suffix: "-new", newConnections: true, what: "a connection for each request" },
] as const;

/**
 * What the way through a service costs: requests a second from a node to a pod, through the service's cluster address as orch-proxy
 * serves it, as a share of those without it in the same minute.
 */
export const serviceRequests: Row = {
  id: "service-requests",
  measures: kinds.flatMap(({ suffix, what }) => [
    { id: `service-direct${suffix}`, work: `requests to a pod of the node, ${what}`, unit: "req/s" as const },
    { id: `service-nftables${suffix}`, work: "… through its service by nftables, of that", unit: "%" as const },
    { id: `service-userspace${suffix}`, work: "… through its service in user space, of that", unit: "%" as const },
  ]),
  unavailable: noPacketFilter() ?? (wrkInstalled() ? undefined : "wrk is not installed"),
  async run({ quick, defer, note }) {
    const [rounds, seconds] = quick ? [1, 1] : [5, 2];
    const node = await startServiceNode(OTHERS, defer);
    const rate = (url: string, newConnections: boolean, duration = seconds) =>
      plainRate({ url, newConnections, seconds: duration, connections: CONNECTIONS, inside: node.inside });
    const values: Record<string, number> = {};
    for (const mode of ["nftables", "userspace"] as const) {
      const proxy = await node.startProxy(mode);
      for (const { suffix, newConnections } of kinds) {
        const direct: number[] = [];
        const shares: number[] = [];
        for (const url of [podUrl, serviceUrls[mode]]) await rate(url, newConnections, 1);
        // Side by side: the machine's speed changes within minutes.
        for (let round = 0; round < rounds; round++) {
          const beside = await rate(podUrl, newConnections);
          direct.push(beside);
          shares.push(((await rate(serviceUrls[mode], newConnections)) / beside) * 100);
        }
        values[`service-direct${suffix}`] ??= median(direct);
        values[`service-${mode}${suffix}`] = median(shares);
      }
      await proxy.end();
    }
    note(`by wrk, with ${OTHERS.toLocaleString("en")} other services; a share is the median of ${rounds} pairs`);
    return values;
  },
};
