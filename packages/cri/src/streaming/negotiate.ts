import type { IncomingMessage } from "node:http";
import { headerValues } from "./spdy/header-values.ts";
import { plainSubprotocol } from "./subprotocols.ts";

/** A subprotocol that both sides support. */
export interface Negotiated {
  /** In the spelling of the client; `""` if it offered none. */
  readonly name: string;
  /** Version of the remote command protocol, 1 to 5. */
  readonly version: number;
  /** Whether WebSocket messages are base64 text. */
  readonly base64: boolean;
}

/** Subprotocols of remote commands over SPDY, in the inner spelling. */
export const spdyCommandProtocols = ["v4.channel", "v3.channel", "v2.channel", "channel"];
/** Subprotocols of port forwarding over SPDY. */
export const spdyForwardProtocols = ["portforward"];
/** Subprotocols of remote commands over WebSocket. */
export const webSocketCommandProtocols = ["v5.channel", "v4.channel", "v4.base64.channel", "channel", "base64.channel"];
/** Subprotocols of port forwarding over WebSocket. */
export const webSocketForwardProtocols = ["v4.channel", "v4.base64.channel", "SPDY/3.1+portforward"];

/**
 * Chooses the first offered subprotocol that is supported, in either spelling. Clients list them in order of
 * preference.
 *
 * @param offered - values of the header, from one or several lines
 * @returns undefined if some were offered but none is supported
 */
export function negotiate(
  offered: IncomingMessage["headers"][string],
  supported: readonly string[],
): Negotiated | undefined {
  const names = headerValues(offered);
  if (names.length === 0) return { name: "", version: 1, base64: false };
  const name = names.find((candidate) => supported.includes(plainSubprotocol(candidate)));
  if (name === undefined) return undefined;
  const version = Number(/^v(\d)\./.exec(name)?.[1] ?? 1);
  return { name, version, base64: name.includes("base64.") };
}
