import { subscribe } from "node:diagnostics_channel";
import { createServer } from "node:net";
import { isMainThread } from "node:worker_threads";

/** Environment variable that names the socket at which the probe answers. */
export const probeSocketVariable = "ORCH_TURN_PROBE_SOCKET";

/** CPU time of the turns of an event loop since somebody asked last. */
export interface TurnReport {
  readonly worstMs: number;
  readonly totalMs: number;
  readonly turns: number;
}

/** After the last request: what a write causes beside its answer, such as events, is counted, too. */
const AFTER_MS = 25;

/**
 * Measures turns of the event loop by the CPU time of the thread, which a busy machine does not falsify, while requests are under
 * way. Whoever connects to the socket gets a {@link TurnReport}, and counting starts again.
 */
function startProbe(socket: string): void {
  let worst = 0;
  let total = 0;
  let turns = 0;
  let active = 0;
  let lastActive = 0;
  let running = false;
  let before = process.threadCpuUsage();
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    const ms = (user + system) / 1000;
    worst = Math.max(worst, ms);
    total += ms;
    turns++;
    if (active > 0) lastActive = performance.now();
    running = active > 0 || performance.now() - lastActive < AFTER_MS;
    if (running) setImmediate(turn);
  };
  const open = new WeakSet<object>();
  subscribe("http.server.request.start", (message) => {
    const { response } = message as { readonly response: NodeJS.EventEmitter };
    active++;
    open.add(response);
    response.once("close", () => {
      if (open.delete(response)) active--;
    });
    if (running) return;
    running = true;
    before = process.threadCpuUsage();
    setImmediate(turn);
  });
  createServer((connection) => {
    connection.on("error", () => connection.destroy());
    connection.end(JSON.stringify({ worstMs: worst, totalMs: total, turns } satisfies TurnReport));
    worst = 0;
    total = 0;
    turns = 0;
  })
    .listen(socket)
    .unref();
}

const socket = process.env[probeSocketVariable];
if (isMainThread && socket !== undefined && socket !== "") startProbe(socket);
