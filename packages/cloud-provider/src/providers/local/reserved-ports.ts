import { isReservedNodePort } from "@orchernetes/component-helpers";
import type { CloudNode, CloudService } from "../../provider/cloud-provider.ts";

/**
 * The first port of a service that no service can have at addresses of nodes, such as `22/TCP`; undefined if there is none. Pure.
 */
export function reservedPort({ spec }: CloudService): string | undefined {
  const found = (spec?.ports ?? []).find(({ port }) => isReservedNodePort(port));
  return found && `${found.port}/${found.protocol ?? "TCP"}`;
}

/**
 * The nodes whose agents listen at no port of the service. Agents choose their ports: one with the port of a service keeps its own node
 * from serving, and no other. Pure.
 */
export function withoutAgents({ spec }: CloudService, nodes: readonly CloudNode[]): readonly CloudNode[] {
  const ports = new Set((spec?.ports ?? []).map(({ port }) => port));
  return nodes.filter(({ status }) => !ports.has(status?.daemonEndpoints?.orchletEndpoint?.Port ?? 0));
}
