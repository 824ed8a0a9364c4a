import type { Duplex } from "node:stream";

/** The remote end of a connection. */
export interface DialTarget {
  /** An IP address or a DNS name. */
  readonly host: string;
  readonly port: number;
}

/**
 * Opens a connection to a target indirectly, such as through a proxy. Written data arrives at the target as it does
 * over TCP. TLS with the target is up to the caller, who must also close the connection.
 *
 * @param signal - ends the attempt; has no effect on an open connection
 * @returns a promise that rejects within a limited time if there is no connection
 */
export type Dialer = (target: DialTarget, signal?: AbortSignal) => Promise<Duplex>;

/** A target as text: `10.0.0.1:443`, `[fd00::1]:443`. */
export const targetText = ({ host, port }: DialTarget): string =>
  `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
