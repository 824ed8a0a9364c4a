import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { claimOnHost } from "./claims.ts";

/** Where ports are taken from whose usual ones are in use: below those of outgoing connections and of services (from 30000). */
const FIRST = 12_000;
const LAST = 29_999;
const ATTEMPTS = 100;

function isUnused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: "127.0.0.1" }, () => probe.close(() => resolve(true)));
  });
}

/** Keeps other processes that choose ports from this one. Resolves to whether nobody has claimed it. */
export const claimPort = (port: number): Promise<boolean> => claimOnHost(`port/${port}`);

/** Claims a port before it looks whether it is in use: it must not be taken in between. Resolves to whether nobody has it. */
const take = async (port: number): Promise<boolean> => (await claimPort(port)) && (await isUnused(port));

/**
 * Allocates ports that nobody listens on, and that no other process has allocated which still runs: the usual one if it is free,
 * else any. No port is returned twice.
 */
export function createPortPicker(): (usual: number) => Promise<number> {
  const given = new Set<number>();
  const isFree = async (port: number) => !given.has(port) && (await take(port));
  return async (usual) => {
    let port = usual;
    for (let attempt = 0; !(await isFree(port)); attempt++) {
      if (attempt === ATTEMPTS)
        throw new Error(`no free port found instead of ${usual}: ${ATTEMPTS} others are in use`);
      port = randomInt(FIRST, LAST + 1);
    }
    given.add(port);
    return port;
  };
}

/** @throws Error naming the option if someone listens on the port already, or has allocated it */
export async function requireFree(port: number): Promise<void> {
  if (!(await take(port)))
    throw new Error(
      `--port: something listens on 127.0.0.1:${port} already, or is about to; choose another with --port`,
    );
}
