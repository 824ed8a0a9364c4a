import { subscribe } from "node:diagnostics_channel";
import { createServer } from "node:net";
import { PerformanceObserver } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

/** Environment variable with the path of the probe's socket. */
export const probeSocketVariable = "ORCH_TURN_PROBE_SOCKET";

/** CPU time of the turns of an event loop since the last report. */
export interface TurnReport {
  /** The longest turn, in milliseconds. */
  readonly worstMs: number;
  /** Approximate share of garbage collection in the worst turn. */
  readonly gcMs: number;
  readonly totalMs: number;
  readonly turns: number;
  /**
   * CPU time of a fixed piece of work; not in every report. On a busy machine everything takes longer, so this tells
   * how much longer.
   */
  readonly yardstickMs?: number;
}

/** Time after a response that still counts, in milliseconds: a write has further effects, such as watch events. */
const AFTER_MS = 15;
/** The same after requests that change which APIs are served: discovery and schemas are built again. */
const AFTER_DEFINITION_MS = 400;
/** The yardstick is measured after turns of this length, and in every 20th report. */
const YARDSTICK_FROM_MS = 40;
const YARDSTICK_EVERY = 20;
const definitions = /\/(?:customresourcedefinitions|apiservices)/;

interface Turn {
  readonly ms: number;
  /** By the clock of `performance.now()`. */
  readonly from: number;
  readonly until: number;
}

/**
 * Measures turns of the event loop while requests are being served. Uses CPU time of the thread, which does not
 * depend on how busy the machine is. A connection to the socket gets a {@link TurnReport} as soon as the server is
 * idle; then counting starts again.
 */
function startProbe(socket: string): void {
  const nothing: Turn = { ms: 0, from: 0, until: 0 };
  let worst = nothing;
  let total = 0;
  let turns = 0;
  let active = 0;
  let restFrom = 0;
  let running = false;
  let reports = 0;
  let before = process.threadCpuUsage();
  let began = performance.now();
  let collections: PerformanceEntry[] = [];
  const atRest: (() => void)[] = [];
  new PerformanceObserver((list) => void collections.push(...list.getEntries())).observe({ entryTypes: ["gc"] });

  const begin = (): void => {
    before = process.threadCpuUsage();
    began = performance.now();
    setImmediate(turn);
  };
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    const now = performance.now();
    const ms = (user + system) / 1000;
    if (ms > worst.ms) worst = { ms, from: began, until: now };
    total += ms;
    turns++;
    running = active > 0 || now < restFrom;
    if (running) begin();
    else for (const report of atRest.splice(0)) report();
  };
  const open = new WeakSet<object>();
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as {
      readonly request: { readonly url?: string };
      readonly response: NodeJS.EventEmitter;
    };
    active++;
    open.add(response);
    const afterMs = definitions.test(request.url?.slice(0, 200) ?? "") ? AFTER_DEFINITION_MS : AFTER_MS;
    response.once("close", () => {
      restFrom = performance.now() + afterMs;
      if (open.delete(response)) active--;
    });
    if (running) return;
    running = true;
    begin();
  });
  const report = (): TurnReport => {
    const { from, until, ms } = worst;
    const inWorst = collections.filter(({ startTime }) => startTime >= from && startTime <= until);
    // Collections are measured in wall-clock time, which includes other processes.
    const share = Math.min(1, ms / Math.max(0.001, until - from));
    const gcMs = share * inWorst.reduce((sum, { duration }) => sum + duration, 0);
    const measured = ms >= YARDSTICK_FROM_MS || reports++ % YARDSTICK_EVERY === 0 ? yardstick() : 0;
    const all = { worstMs: ms, gcMs, totalMs: total, turns, ...(measured > 0 ? { yardstickMs: measured } : {}) };
    worst = nothing;
    total = 0;
    turns = 0;
    collections = [];
    return all;
  };
  createServer((connection) => {
    connection.on("error", () => connection.destroy());
    // The observer gets the collections of the last turn one turn later.
    const answer = (): void => void setImmediate(() => connection.end(JSON.stringify(report())));
    if (running) atRest.push(answer);
    else answer();
  })
    .listen(socket)
    .unref();
}

const yardstickText = JSON.stringify(
  Array.from({ length: 2000 }, (_, i) => ({ name: `name-${i}`, values: [i, i + 1] })),
);

/** About 20 ms of parsing and writing JSON. Shorter work would not do: CPU times are precise to a few milliseconds. */
function yardstick(): number {
  const from = process.threadCpuUsage();
  for (let i = 0; i < 15; i++) JSON.stringify(JSON.parse(yardstickText));
  const { user, system } = process.threadCpuUsage(from);
  return (user + system) / 1000;
}

const socket = process.env[probeSocketVariable];
if (isMainThread && socket !== undefined && socket !== "") startProbe(socket);
