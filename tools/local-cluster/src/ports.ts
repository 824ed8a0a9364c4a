import { createServer } from "node:net";

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: "127.0.0.1" }, () => probe.close(() => resolve(true)));
  });
}

function anyFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen({ port: 0, host: "127.0.0.1" }, () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no free port")),
      );
    });
  });
}

/** Allocates ports that nobody listens on: the usual one if it is free, else any. No port is returned twice. */
export function createPortPicker(): (usual: number) => Promise<number> {
  const given = new Set<number>();
  return async (usual) => {
    let port = usual;
    while (given.has(port) || !(await isFree(port))) port = await anyFreePort();
    given.add(port);
    return port;
  };
}

/** @throws Error naming the option if someone listens on the port already */
export async function requireFree(port: number): Promise<void> {
  if (!(await isFree(port)))
    throw new Error(`--port: something listens on 127.0.0.1:${port} already; choose another with --port`);
}
