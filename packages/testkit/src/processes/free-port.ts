import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections (32768 on, on Linux), and below node ports (30000 on). */
const FIRST = 12_000;
const LAST = 29_999;
const ATTEMPTS = 50;

/**
 * A port of 127.0.0.1 without a listener. Picked at random where no connection of another process is given one, so that
 * it is very likely still free when the caller comes to use it.
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
