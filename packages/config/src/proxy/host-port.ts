import { isIP } from "node:net";
import { z } from "zod";

/** An address that a server listens on. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/**
 * Parses `IP`, `IP:port` or `[IPv6]:port`; undefined if the text is none of them.
 * @param defaultPort the port of an address without one
 */
export function parseHostPort(text: string, defaultPort: number): HostPort | undefined {
  if (isIP(text) !== 0) return { host: text, port: defaultPort };
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? "";
  if (isIP(host) !== (bracketed === undefined ? 4 : 6)) return undefined;
  const port = digits === undefined ? defaultPort : Number(digits);
  return port >= 1 && port <= 65535 ? { host, port } : undefined;
}

/** A schema for an address with or without a port; `""` is left to the caller. */
export const hostPort = () =>
  z
    .string()
    .refine(
      (text) => text === "" || parseHostPort(text, 1) !== undefined,
      "want an address with a port such as 0.0.0.0:10256 or [::]:10256",
    );
