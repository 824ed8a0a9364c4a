import { connect as connectSocket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { EgressTransport } from "@orchernetes/config";
import { targetText } from "@orchernetes/kernel";

/** TLS material for a proxy, PEM. */
export interface ProxyTls {
  /** Authorities of the proxy's certificate. @default those of the host */
  readonly ca: string | undefined;
  readonly cert: string;
  readonly key: string;
}

const ignore = (): void => undefined;

/** Returns the address of a proxy for messages. */
export function proxyText(transport: EgressTransport): string {
  if (transport.type === "uds") return `unix://${transport.path}`;
  return `${transport.tls === undefined ? "http" : "https"}://${targetText(transport)}`;
}

/**
 * Connects to a proxy.
 *
 * @param tls required if the transport has TLS
 * @throws Error, or the signal's reason when it aborts
 */
export function connectToProxy(
  transport: EgressTransport,
  tls: ProxyTls | undefined,
  signal: AbortSignal,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const link = begin(transport, tls);
    const abort = () => link.destroy(signal.reason);
    const settle = () => signal.removeEventListener("abort", abort);
    link.once(tls === undefined ? "connect" : "secureConnect", () => {
      settle();
      link.off("error", reject);
      link.setNoDelay(true);
      resolve(link);
    });
    // This listener stays, because the connection may break while no other code listens for errors.
    link.once("error", reject).on("error", ignore);
    link.once("close", () => {
      settle();
      reject(new Error("it closed the connection before it was established"));
    });
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

function begin(transport: EgressTransport, tls: ProxyTls | undefined) {
  if (transport.type === "uds") return connectSocket({ path: transport.path });
  const { host, port } = transport;
  if (tls === undefined) return connectSocket({ host, port });
  const { ca, cert, key } = tls;
  // Without a server name the certificate is checked against the address.
  const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
  return connectTls({
    host,
    port,
    ...name,
    ...(ca !== undefined && { ca }),
    cert,
    key,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
  });
}
