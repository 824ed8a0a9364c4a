import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Stands in for the internet. */
export interface OutsideWorld {
  /** Environment of programs that ask there. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/** Addresses of pods, services and nodes, and of private networks in general. */
const DIRECT = ["localhost", "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"];

/**
 * Starts an HTTP proxy that answers every request for a page with an empty one. Many specs about networking begin with a look at a public
 * page, and end there on a machine without the internet, although nothing that they test needs it.
 */
export async function startOutsideWorld(): Promise<OutsideWorld> {
  const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    env: { HTTP_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: DIRECT.join(",") },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
