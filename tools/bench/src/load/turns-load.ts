import { connect, type TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import { threadsTimeUs } from "../cpu-time.ts";
import type { Target } from "./http-connection.ts";
import { loadProgram } from "./load-program.ts";
import { answerReader } from "./read-answers.ts";
import type { RequestTemplate } from "./request-template.ts";
import { requestWriter } from "./request-writer.ts";

/** A server, which may be that of the other side too, and what it is asked. */
interface TurnsSide {
  readonly target: Target;
  /** Of the server. */
  readonly pid: number;
  readonly templates: readonly RequestTemplate[];
}

/**
 * Two kinds of requests, in short turns.
 *
 * The speed of a machine changes by a tenth from second to second, but hardly from one third of a second to the next.
 */
export interface TurnsLoad {
  readonly sides: readonly [TurnsSide, TurnsSide];
  /** Connections of each side. */
  readonly connections: number;
  /** Turns of each side. */
  readonly turns: number;
}

/** What was counted in one turn. */
interface Turn {
  /** Answers a second, of any status. */
  readonly rate: number;
  /** CPU time of all threads of the server for an answer, in microseconds. */
  readonly cpuUs: number;
}

/** The turns of either side, and the number of failed requests. */
export interface TurnsOutcome {
  readonly turns: readonly [readonly Turn[], readonly Turn[]];
  readonly failed: number;
}

/** Either side follows itself and the other one equally often, so that what a turn leaves behind is nobody's disadvantage. */
const ORDER = [0, 1, 1, 0] as const;
const TURN_MS = 350;
/** Not counted at the beginning of a turn: answers to the turn before, and work that it left, such as batches to write. */
const SETTLE_MS = 150;

/** The connections of one side. They send one request at a time each, while it is their turn. */
class SideConnections {
  answers = 0;
  failed = 0;
  #sending = false;
  #ended = false;
  readonly #next: () => Buffer;
  readonly #sockets: readonly TLSSocket[];
  readonly #parked = new Set<TLSSocket>();

  constructor({ target, templates }: TurnsSide, connections: number) {
    const { host, port, ca } = target;
    this.#next = requestWriter(templates);
    this.#sockets = Array.from({ length: connections }, () => {
      const socket = connect({ host, port, ca, ALPNProtocols: ["http/1.1"] }, () => {
        socket.setNoDelay(true);
        this.#send(socket);
      });
      const read = answerReader((status) => {
        this.answers++;
        if (status < 200 || status > 299) this.failed++;
        this.#send(socket);
      });
      socket.on("data", read);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        if (!this.#ended) this.failed++;
      });
      return socket;
    });
  }

  start(): void {
    this.#sending = true;
    const parked = [...this.#parked];
    this.#parked.clear();
    for (const socket of parked) this.#send(socket);
  }

  pause(): void {
    this.#sending = false;
  }

  end(): void {
    this.#ended = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #send(socket: TLSSocket): void {
    if (this.#sending) socket.write(this.#next());
    else this.#parked.add(socket);
  }
}

const passed = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Runs the load in this process. */
async function runTurnsLoad({ sides, connections, turns }: TurnsLoad): Promise<TurnsOutcome> {
  const counted: [Turn[], Turn[]] = [[], []];
  const both = sides.map((side) => new SideConnections(side, connections));
  let ended = false;
  // Never waits for the server: waking a process that sleeps costs the sender more than most requests do, and how often it has to
  // depends on the moment.
  const poll = () => {
    if (!ended) setImmediate(poll);
  };
  poll();
  for (let turn = 0; turn < 2 * turns; turn++) {
    const at = ORDER[turn % ORDER.length] ?? 0;
    const mine = both[at];
    if (mine === undefined) break;
    const { pid } = sides[at];
    mine.start();
    await passed(SETTLE_MS);
    const [answers, cpuUs, ms] = [mine.answers, threadsTimeUs(pid), performance.now()];
    await passed(TURN_MS - SETTLE_MS);
    const done = mine.answers - answers;
    counted[at].push({ rate: (done * 1000) / (performance.now() - ms), cpuUs: (threadsTimeUs(pid) - cpuUs) / done });
    mine.pause();
  }
  ended = true;
  for (const connectionsOfSide of both) connectionsOfSide.end();
  return { turns: counted, failed: both.reduce((sum, { failed }) => sum + failed, 0) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await loadProgram(runTurnsLoad);
