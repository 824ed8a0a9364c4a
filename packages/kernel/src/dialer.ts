import type { Duplex } from "node:stream";

/** Where a connection leads. */
export interface DialTarget {
  /** An IP address or a DNS name. */
  readonly host: string;
  readonly port: number;
}

/**
 * Opens a connection to a target in another way than directly, such as through a proxy. What is written arrives at the target as over
 * TCP; TLS with the target is up to the caller, who also closes the connection.
 *
 * @param signal ends the attempt; it has no effect on an open connection
 * @returns rejects within a limited time if there is no connection
 */
export type Dialer = (target: DialTarget, signal?: AbortSignal) => Promise<Duplex>;

/** A target as text: `10.0.0.1:443`, `[fd00::1]:443`. */
export const targetText = ({ host, port }: DialTarget): string =>
  `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
