/** Where a server is, in the parts that Node's connections need. */
export interface ServerAddress {
  /** Without the brackets of an IPv6 address. */
  readonly hostname: string;
  readonly port: number;
  /** Path prefix of all requests, without a slash at its end; "" if there is none. */
  readonly base: string;
}

/** Splits a server's URL into the parts that a connection needs. */
export function addressOf(server: URL): ServerAddress {
  const standardPort = server.protocol === "https:" ? 443 : 80;
  return {
    hostname: server.hostname.replace(/^\[|\]$/g, ""),
    port: server.port === "" ? standardPort : Number(server.port),
    base: server.pathname.replace(/\/+$/, ""),
  };
}
