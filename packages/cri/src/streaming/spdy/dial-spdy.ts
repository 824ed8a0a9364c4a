import { request } from "node:http";
import type { Duplex } from "node:stream";
import { headerValues } from "./header-values.ts";
import { createSpdyConnection, type SpdyConnection } from "./spdy-connection.ts";

/** The options of {@link dialSpdy}. */
export interface DialSpdyOptions {
  /** Subprotocols in order of preference. */
  readonly protocols: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Opens a connection as a client and upgrades it to SPDY/3.1.
 *
 * @param url - an `http:` URL as returned by Exec, Attach and PortForward
 * @returns the connection, and the subprotocol that the server chose
 * @throws Error with status and body when the server does not upgrade
 */
export async function dialSpdy(
  url: string,
  options: DialSpdyOptions,
): Promise<{ connection: SpdyConnection; protocol: string }> {
  const { socket, protocol } = await dialUpgraded(url, options);
  return { connection: createSpdyConnection(socket, { role: "client" }), protocol };
}

/** Opens a connection as {@link dialSpdy}, and returns the socket, on which frames are still to be sent. */
export async function dialUpgraded(
  url: string,
  options: DialSpdyOptions,
): Promise<{ readonly socket: Duplex; readonly protocol: string }> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: "POST",
      headers: {
        ...options.headers,
        Connection: "Upgrade",
        Upgrade: "SPDY/3.1",
        "X-Stream-Protocol-Version": [...options.protocols],
      },
      ...(options.signal && { signal: options.signal }),
    });
    outgoing.once("error", reject);
    outgoing.once("response", (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        body += part.slice(0, 4096);
      });
      response.once("end", () =>
        reject(new Error(`Cannot upgrade to SPDY/3.1: ${response.statusCode} ${body.trim()}`)),
      );
    });
    outgoing.once("upgrade", (response, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      const [protocol = ""] = headerValues(response.headers["x-stream-protocol-version"]);
      resolve({ socket, protocol });
    });
    outgoing.end();
  });
}
