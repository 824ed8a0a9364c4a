import { getRequest, HttpConnection, type Target } from "./http-connection.ts";
import { loadProgram } from "./load-program.ts";

/** Gets one path over several connections, a number of times on each. */
export interface GetLoad {
  readonly target: Target;
  readonly path: string;
  readonly connections: number;
  readonly timesEach: number;
}

/** The result. */
export interface GetOutcome {
  readonly answers: number;
  readonly seconds: number;
  readonly bodyBytes: number;
  /** Of one answer, in milliseconds. */
  readonly medianMs: number;
  /** The latency of the fastest response, in milliseconds. */
  readonly bestMs: number;
}

await loadProgram<GetLoad>(async ({ target, path, connections, timesEach }) => {
  const open = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(target)));
  const request = getRequest(target, path);
  const times: number[] = [];
  let bodyBytes = 0;
  const started = performance.now();
  await Promise.all(
    open.map(async (connection) => {
      for (let n = 0; n < timesEach; n++) {
        const sent = performance.now();
        const answer = await connection.send(request);
        if (answer.status !== 200) throw new Error(`GET ${path}: status ${answer.status}, 200 is expected`);
        times.push(performance.now() - sent);
        bodyBytes = answer.bodyBytes;
      }
    }),
  );
  const took = (performance.now() - started) / 1000;
  for (const connection of open) connection.close();
  times.sort((a, b) => a - b);
  return {
    answers: times.length,
    seconds: took,
    bodyBytes,
    medianMs: times[times.length >> 1] ?? 0,
    bestMs: times[0] ?? 0,
  } satisfies GetOutcome;
});
