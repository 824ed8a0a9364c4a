import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * First candidate. The range is below the ports that the system assigns to outgoing connections (from 32768 on
 * Linux), and below node ports (from 30000).
 */
const FIRST = 12_000;
const LAST = 29_999;
const ATTEMPTS = 50;

/**
 * Finds a port of 127.0.0.1 without a listener. It is picked at random from a range that the system never assigns, so
 * it is very likely still free when the caller listens on it. Asking the system for a free port (port 0) would return
 * one that a connection may take in between.
 *
 * @throws Error after 50 ports that are taken
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST, LAST + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port found: ${ATTEMPTS} ports of 127.0.0.1 from ${FIRST} to ${LAST} are taken`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" || error.code === "EACCES" ? resolve(false) : reject(error),
    );
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
