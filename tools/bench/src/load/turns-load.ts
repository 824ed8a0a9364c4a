import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import type { Target } from "./http-connection.ts";
import { loadProgram } from "./load-program.ts";
import { answerReader } from "./read-answers.ts";
import type { RequestTemplate } from "./request-template.ts";
import { requestWriter } from "./request-writer.ts";

/**
 * Two kinds of requests to one server, in short turns over the same connections.
 *
 * The rate of a machine changes by a tenth from second to second, but hardly from one third of a second to the next.
 */
export interface TurnsLoad {
  readonly target: Target;
  readonly templates: readonly [readonly RequestTemplate[], readonly RequestTemplate[]];
  readonly connections: number;
  /** Turns of each kind. */
  readonly turns: number;
}

/** Answers in the turns of either kind, of any status, and the number of failed requests. */
export interface TurnsOutcome {
  readonly answers: readonly [readonly number[], readonly number[]];
  readonly failed: number;
}

/** Either kind follows itself and the other one equally often, so that what a turn leaves behind is nobody's disadvantage. */
const ORDER = [0, 1, 1, 0] as const;
const TURN_MS = 350;
/** Not counted at the beginning of a turn: answers to the turn before, and work that it left, such as batches to write. */
const SETTLE_MS = 150;

/** Runs the load in this process. */
function runTurnsLoad({ target, templates, connections, turns }: TurnsLoad): Promise<TurnsOutcome> {
  const { host, port, ca } = target;
  const writers = templates.map(requestWriter);
  const answers: [number[], number[]] = [[], []];
  let turn = 0;
  let count = 0;
  let failed = 0;
  let ended = false;
  const kind = () => ORDER[turn % ORDER.length] ?? 0;
  const next = (): Buffer => writers[kind()]?.() ?? Buffer.alloc(0);
  return new Promise((resolve) => {
    const sockets = Array.from({ length: connections }, () => {
      const socket = connect({ host, port, ca, ALPNProtocols: ["http/1.1"] }, () => {
        socket.setNoDelay(true);
        socket.write(next());
      });
      const read = answerReader((status) => {
        count++;
        if (status < 200 || status > 299) failed++;
        if (!ended) socket.write(next());
      });
      socket.on("data", read);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        if (!ended) failed++;
      });
      return socket;
    });
    const startTurn = () => {
      setTimeout(() => {
        count = 0;
        const since = performance.now();
        setTimeout(() => {
          answers[kind()].push((count * 1000) / (performance.now() - since));
          turn++;
          if (turn < 2 * turns) {
            startTurn();
            return;
          }
          ended = true;
          for (const socket of sockets) socket.destroy();
          resolve({ answers, failed });
        }, TURN_MS - SETTLE_MS);
      }, SETTLE_MS);
    };
    startTurn();
    // Never waits for the server: waking a process that sleeps costs the sender more than most requests do, and how often it does
    // depends on the moment.
    const poll = () => {
      if (!ended) setImmediate(poll);
    };
    poll();
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await loadProgram(runTurnsLoad);
