import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { startApiServer } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { call } from "./support.ts";

const TIME_WAIT = "06";

/** States of the host's TCP sockets that have this local port. */
function statesOf(port: number): readonly (string | undefined)[] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1);
  const sockets = lines.map((line) => line.trim().split(/\s+/));
  return sockets.filter(([, address]) => address?.endsWith(local)).map(([, , , state]) => state);
}

/**
 * Who closes a connection first keeps its address for a minute (TIME_WAIT), in which only a socket with SO_REUSEADDR can be
 * bound to it. The runtime sets that on every listening socket, whatever the flag says.
 */
test.skipIf(process.platform !== "linux")(
  "--permit-address-sharing: a port is taken over from the connections that a stopped server leaves (needs Linux)",
  async () => {
    const server = await startApiServer({ flags: ["--permit-address-sharing"] });
    try {
      const idle = connect({ host: "127.0.0.1", port: server.port });
      await once(idle, "connect");
      // Connections are taken on in order: once this one is answered, the one before has been.
      await call(server, "GET", "/livez");
      const ended = once(idle.resume(), "end");
      const restarting = server.restart();
      await ended;
      await expect.poll(() => statesOf(server.port), { timeout: 20_000, interval: 5 }).toContain(TIME_WAIT);
      await restarting;
      expect(statesOf(server.port)).toContain(TIME_WAIT);
      expect(server.running).toBe(true);
    } finally {
      await server.stop();
    }
  },
  120_000,
);
