import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Passes TCP connections on to another port of this host, until it is told to misbehave. */
export interface TcpProxy {
  readonly port: number;
  /** Connections now open. */
  readonly connections: number;
  /** From now on bytes arrive this much later, in both directions. */
  delay(ms: number): void;
  /**
   * From now on nothing goes through, and nobody is told: open connections stay open, new ones are accepted. What is sent
   * meanwhile is lost, so connections of before stay silent after {@link heal}.
   */
  blackhole(): void;
  /** Ends a blackhole and delays. */
  heal(): void;
  /** Breaks all open connections. */
  cut(): void;
  stop(): Promise<void>;
}

interface Link {
  readonly near: Socket;
  readonly far: Socket;
  /** Something of it was lost: what comes later would be garbage. */
  lost: boolean;
}

/** Starts one on a free port of 127.0.0.1. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const links = new Set<Link>();
  let delayMs = 0;
  let hole = false;
  const pass = (link: Link, from: Socket, to: Socket) => {
    from.on("data", (chunk) => {
      if (hole) link.lost = true;
      if (link.lost) return;
      if (delayMs === 0) to.write(chunk);
      else setTimeout(() => link.lost || to.destroyed || to.write(chunk), delayMs);
    });
    from.on("error", () => undefined);
    from.on("close", () => {
      // A partition does not tell either side that the other has gone.
      if (hole) link.lost = true;
      if (link.lost && from === link.far) return;
      links.delete(link);
      to.destroy();
    });
  };
  const server = createServer((near) => {
    const link: Link = { near, far: connect(target, "127.0.0.1"), lost: hole };
    for (const socket of [near, link.far]) socket.setNoDelay(true);
    links.add(link);
    pass(link, near, link.far);
    pass(link, link.far, near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const { near, far } of links) {
      near.destroy();
      far.destroy();
    }
    links.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return links.size;
    },
    delay(ms) {
      delayMs = ms;
    },
    blackhole() {
      hole = true;
    },
    heal() {
      hole = false;
      delayMs = 0;
    },
    cut,
    async stop() {
      const closed = once(server, "close");
      server.close();
      cut();
      await closed;
    },
  };
}
