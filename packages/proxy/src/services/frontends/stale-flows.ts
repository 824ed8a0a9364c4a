import type { Frontend } from "./frontends.ts";

/**
 * Entries of the kernel's connection tracking that must be deleted after a change has been loaded. UDP has no connections that
 * end: as long as a client sends, its packets go to the endpoint that was chosen first, or to none.
 */
export interface StaleFlows {
  readonly protocol: "udp";
  /** The original destination: an address of a service, or undefined for any address of the node. */
  readonly address: string | undefined;
  readonly port: number;
  /** Only entries whose destination was rewritten to this endpoint; undefined: all. */
  readonly endpoint: { readonly address: string; readonly port: number } | undefined;
}

/**
 * What is stale at a frontend: entries of endpoints that it no longer has, and all entries if it had no endpoints and now has
 * some, because packets that nothing was there for have entries, too.
 */
export function staleFlows(before: Frontend | undefined, after: Frontend | undefined): readonly StaleFlows[] {
  const frontend = after ?? before;
  if (frontend?.protocol !== "udp") return [];
  const { address, port } = frontend;
  const had = endpointsOf(before);
  const has = endpointsOf(after);
  if (had.size === 0 && has.size > 0) return [{ protocol: "udp", address, port, endpoint: undefined }];
  const gone = [...had].filter(([id]) => !has.has(id));
  return gone.map(([, endpoint]) => ({ protocol: "udp", address, port, endpoint }));
}

function endpointsOf(frontend: Frontend | undefined): ReadonlyMap<string, { address: string; port: number }> {
  const { endpoints = [], localEndpoints = [] } = frontend?.served ?? {};
  return new Map(
    [...endpoints, ...localEndpoints].map(({ address, port }) => [`${address} ${port}`, { address, port }]),
  );
}
