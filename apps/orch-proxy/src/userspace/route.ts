/** An address of this host at which a service is served in user space, and where its connections go. */
export interface Route {
  /** Of the service. */
  readonly namespace: string;
  readonly protocol: "tcp" | "udp";
  readonly address: string;
  readonly port: number;
  /** At least one. */
  readonly endpoints: readonly RouteEndpoint[];
  /** For clients outside of the cluster, with `externalTrafficPolicy` Local: maybe none. Undefined: the same as for others. */
  readonly outside?: { readonly endpoints: readonly RouteEndpoint[]; readonly isOutside: (client: string) => boolean };
  /** Seconds for which a client stays with an endpoint; undefined without affinity. */
  readonly affinitySeconds: number | undefined;
  /** Whether a client may use the address. */
  readonly admits: (clientAddress: string) => boolean;
}

/** A pod's address and port. */
export interface RouteEndpoint {
  readonly address: string;
  readonly port: number;
}

/** Names the socket of a route. */
export const routeKey = ({ protocol, address, port }: Pick<Route, "protocol" | "address" | "port">): string =>
  `${protocol} ${address} ${port}`;

/** The endpoints for a client. */
export const endpointsFor = ({ endpoints, outside }: Route, client: string): readonly RouteEndpoint[] =>
  outside?.isOutside(client) ? outside.endpoints : endpoints;
