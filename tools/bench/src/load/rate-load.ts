import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import type { Target } from "./http-connection.ts";
import { loadProgram } from "./load-program.ts";
import { answerReader } from "./read-answers.ts";
import type { RequestTemplate } from "./request-template.ts";
import { requestWriter } from "./request-writer.ts";

/** Sends requests over kept-alive connections, one at a time on each, for some seconds. */
export interface RateLoad {
  readonly target: Target;
  /** Used in turn. */
  readonly templates: readonly RequestTemplate[];
  readonly connections: number;
  readonly seconds: number;
}

/** The result: responses of any status, and the number of failed requests. */
export interface RateOutcome {
  readonly answers: number;
  readonly seconds: number;
  readonly failed: number;
}

/** Runs the load in this process. Resolves when the time has elapsed; requests in flight are not counted. */
function runRateLoad({ target, templates, connections, seconds }: RateLoad): Promise<RateOutcome> {
  const { host, port, ca } = target;
  const next = requestWriter(templates);
  return new Promise((resolve) => {
    let answers = 0;
    let failed = 0;
    const started = performance.now();
    const sockets = Array.from({ length: connections }, () => {
      const socket = connect({ host, port, ca, ALPNProtocols: ["http/1.1"] }, () => {
        socket.setNoDelay(true);
        socket.write(next());
      });
      const read = answerReader((status) => {
        answers++;
        if (status < 200 || status > 299) failed++;
        socket.write(next());
      });
      socket.on("data", read);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => void failed++);
      return socket;
    });
    setTimeout(() => {
      resolve({ answers, seconds: (performance.now() - started) / 1000, failed });
      for (const socket of sockets) socket.destroy();
    }, seconds * 1000);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await loadProgram(runRateLoad);
