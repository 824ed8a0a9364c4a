/** An address of this host at which a service is served in user space, and where its connections go. */
export interface Route {
  readonly protocol: "tcp" | "udp";
  readonly address: string;
  readonly port: number;
  /** At least one. */
  readonly endpoints: readonly RouteEndpoint[];
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
