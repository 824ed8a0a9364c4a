/** Where a server is. */
export interface ServerAddress {
  /** Without the brackets of an IPv6 address. */
  readonly hostname: string;
  readonly port: number;
  /** What goes before the path of each request, without a slash at its end. */
  readonly base: string;
}

/** The parts of a server's URL that a connection needs. */
export function addressOf(server: URL): ServerAddress {
  const standardPort = server.protocol === "https:" ? 443 : 80;
  return {
    hostname: server.hostname.replace(/^\[|\]$/g, ""),
    port: server.port === "" ? standardPort : Number(server.port),
    base: server.pathname.replace(/\/+$/, ""),
  };
}
