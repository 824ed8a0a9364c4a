import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Passes TCP connections on to another port of this host, until a fault is switched on. */
export interface TcpProxy {
  readonly port: number;
  /** Connections now open. */
  readonly connections: number;
  /** From now on bytes arrive this much later, in both directions. */
  delay(ms: number): void;
  /** From now on bytes wait, in both directions, until {@link heal}: packets that are sent again until they get through. */
  hold(): void;
  /**
   * From now on nothing goes through, and nobody is told: open connections stay open, new ones are accepted. What is sent
   * meanwhile is lost, so connections of before stay silent after {@link heal}.
   * @param what `answers`: what the target sends is lost, what is sent to it arrives. @default "everything"
   */
  blackhole(what?: "everything" | "answers"): void;
  /** Ends delays, holds and blackholes. */
  heal(): void;
  /** Breaks all open connections. */
  cut(): void;
  stop(): Promise<void>;
}

/** What all connections suffer. */
interface Weather {
  delayMs: number;
  held: boolean;
  hole: "nothing" | "everything" | "answers";
}

/** Starts one on a free port of 127.0.0.1. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const links = new Set<Link>();
  const weather: Weather = { delayMs: 0, held: false, hole: "nothing" };
  const server = createServer((near) => {
    const link = new Link(near, connect(target, "127.0.0.1"), weather, () => links.delete(link));
    links.add(link);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const link of links) link.destroy();
    links.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return links.size;
    },
    delay(ms) {
      weather.delayMs = ms;
    },
    hold() {
      weather.held = true;
    },
    blackhole(what = "everything") {
      weather.hole = what;
    },
    heal() {
      weather.hole = "nothing";
      weather.held = false;
      weather.delayMs = 0;
      for (const link of links) link.flush();
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

/** One connection, and the one to the target. */
class Link {
  readonly #requests: Flow;
  readonly #answers: Flow;

  constructor(near: Socket, far: Socket, weather: Weather, gone: () => void) {
    this.#requests = new Flow(far, weather);
    this.#answers = new Flow(near, weather);
    near.on("data", (chunk: Buffer) => {
      if (weather.hole === "everything") this.#lose();
      this.#requests.push(chunk);
    });
    far.on("data", (chunk: Buffer) => {
      if (weather.hole === "everything") this.#lose();
      else if (weather.hole === "answers") this.#answers.lost = true;
      this.#answers.push(chunk);
    });
    near.on("close", () => {
      gone();
      far.destroy();
    });
    far.on("close", () => {
      // In a partition neither side learns that the other is gone.
      if (weather.hole !== "nothing") this.#answers.lost = true;
      if (this.#answers.lost) return;
      gone();
      near.destroy();
    });
    for (const socket of [near, far]) socket.setNoDelay(true).on("error", () => undefined);
  }

  /** What waited goes on. */
  flush(): void {
    this.#requests.flush();
    this.#answers.flush();
  }

  destroy(): void {
    this.#requests.to.destroy();
    this.#answers.to.destroy();
  }

  #lose(): void {
    this.#requests.lost = true;
    this.#answers.lost = true;
  }
}

/** One direction of a connection: bytes arrive in the order they were sent in, however the delay changes. */
class Flow {
  readonly to: Socket;
  /** Something of it was lost: what comes later would be garbage. */
  lost = false;
  readonly #weather: Weather;
  readonly #waiting: { readonly chunk: Buffer; readonly dueMs: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(to: Socket, weather: Weather) {
    this.to = to;
    this.#weather = weather;
  }

  push(chunk: Buffer): void {
    this.#waiting.push({ chunk, dueMs: performance.now() + this.#weather.delayMs });
    this.flush();
  }

  /** Sends what is due, and comes again for the rest. */
  flush(): void {
    clearTimeout(this.#timer);
    if (this.lost || this.to.destroyed) this.#waiting.length = 0;
    while (!this.#weather.held) {
      const [first] = this.#waiting;
      if (first === undefined) return;
      const waitMs = first.dueMs - performance.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.flush(), waitMs);
        return;
      }
      this.#waiting.shift();
      this.to.write(first.chunk);
    }
  }
}
