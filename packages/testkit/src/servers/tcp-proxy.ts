import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Passes TCP connections on to another port of this host, and disturbs them on request. */
export interface TcpProxy {
  /** Port of 127.0.0.1 that clients connect to. */
  readonly port: number;
  /** Connections now open. */
  readonly connections: number;
  /** From now on bytes arrive this much later, in both directions. */
  delay(ms: number): void;
  /**
   * From now on bytes wait, in both directions, until {@link heal}, like packets that TCP retransmits until they
   * arrive.
   */
  hold(): void;
  /**
   * From now on nothing is passed on, and neither side notices: open connections stay open, new ones are accepted.
   * What is sent in the meantime is lost, so connections from before stay silent after {@link heal}.
   *
   * @param what `answers`: what the target sends is lost, what is sent to it arrives @default "everything"
   */
  blackhole(what?: "everything" | "answers"): void;
  /** Ends delays, holds and blackholes. */
  heal(): void;
  /** Breaks all open connections. */
  cut(): void;
  /** Breaks all open connections and stops listening. */
  stop(): Promise<void>;
}

/** The disturbances that all connections share. */
interface Conditions {
  delayMs: number;
  held: boolean;
  blackhole: "nothing" | "everything" | "answers";
}

/**
 * Starts a proxy on a free port of 127.0.0.1, which passes everything on.
 *
 * @param target port of 127.0.0.1 to connect to
 */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const links = new Set<Link>();
  const conditions: Conditions = { delayMs: 0, held: false, blackhole: "nothing" };
  const server = createServer((near) => {
    const link = new Link(near, connect(target, "127.0.0.1"), conditions, () => links.delete(link));
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
      conditions.delayMs = ms;
    },
    hold() {
      conditions.held = true;
    },
    blackhole(what = "everything") {
      conditions.blackhole = what;
    },
    heal() {
      conditions.blackhole = "nothing";
      conditions.held = false;
      conditions.delayMs = 0;
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

/** A client's connection and the one to the target that belongs to it. */
class Link {
  readonly #requests: Flow;
  readonly #answers: Flow;

  constructor(near: Socket, far: Socket, conditions: Conditions, onClose: () => void) {
    this.#requests = new Flow(far, conditions);
    this.#answers = new Flow(near, conditions);
    near.on("data", (chunk: Buffer) => {
      if (conditions.blackhole === "everything") this.#lose();
      this.#requests.push(chunk);
    });
    far.on("data", (chunk: Buffer) => {
      if (conditions.blackhole === "everything") this.#lose();
      else if (conditions.blackhole === "answers") this.#answers.lost = true;
      this.#answers.push(chunk);
    });
    near.on("close", () => {
      onClose();
      far.destroy();
    });
    far.on("close", () => {
      // In a partition neither side learns that the other has closed.
      if (conditions.blackhole !== "nothing") this.#answers.lost = true;
      if (this.#answers.lost) return;
      onClose();
      near.destroy();
    });
    for (const socket of [near, far]) socket.setNoDelay(true).on("error", () => undefined);
  }

  /** Passes on what was held. */
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

/** One direction of a connection. Bytes arrive in the order in which they were sent, even while the delay changes. */
class Flow {
  readonly to: Socket;
  /**
   * A part of it was lost. What comes later cannot be passed on: to the receiver it would be garbage in the middle of
   * a stream.
   */
  lost = false;
  readonly #conditions: Conditions;
  readonly #waiting: { readonly chunk: Buffer; readonly dueMs: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(to: Socket, conditions: Conditions) {
    this.to = to;
    this.#conditions = conditions;
  }

  push(chunk: Buffer): void {
    this.#waiting.push({ chunk, dueMs: performance.now() + this.#conditions.delayMs });
    this.flush();
  }

  /** Sends what is due, and schedules itself for the rest. */
  flush(): void {
    clearTimeout(this.#timer);
    if (this.lost || this.to.destroyed) this.#waiting.length = 0;
    while (!this.#conditions.held) {
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
