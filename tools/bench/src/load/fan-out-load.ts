import { setTimeout as sleep } from "node:timers/promises";
import { figuresOf, type ServerFigures } from "../servers/server-figures.ts";
import { getRequest, HttpConnection, type Target, writeRequest } from "./http-connection.ts";
import { loadProgram } from "./load-program.ts";
import { collectionPath } from "./objects.ts";
import { createMarkerScanner, openWatch } from "./watch-stream.ts";

/** Many watchers on the ConfigMaps that a few writers create. */
export interface FanOutLoad {
  readonly target: Target;
  readonly watchers: number;
  readonly writers: number;
  readonly creates: number;
  /** Names begin with it. @default "fan" */
  readonly prefix?: string;
  /**
   * Paces the writers so that all watchers together get so many events a second: beyond what the load itself can take, only the
   * load is measured. @default as fast as the server answers
   */
  readonly eventsPerSecond?: number;
  /** Reads the server's figures at the end of each phase, which resets its longest stall. @default false */
  readonly observed?: boolean;
}

/** What came of it. Latency: from before the create was sent until a watcher had the event. */
export interface FanOutOutcome {
  readonly events: number;
  readonly missing: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The server when all watches were open, and when all events had come; none unless it is observed. */
  readonly server?: { readonly opened: ServerFigures; readonly delivered: ServerFigures };
}

/** More handshakes at once than a listening socket queues would be turned away. */
const OPEN_AT_ONCE = 100;

await loadProgram<FanOutLoad>(async (load) => {
  const { target, watchers, writers, creates, prefix = "fan", eventsPerSecond = Number.POSITIVE_INFINITY } = load;
  const path = collectionPath("configmap");
  const open = await Promise.all(Array.from({ length: writers }, () => HttpConnection.open(target)));
  const [first] = open;
  if (first === undefined) throw new Error("at least one writer is needed");
  const list = await first.send(getRequest(target, `${path}?limit=1`), true);
  const { resourceVersion } = (JSON.parse(list.body) as { metadata: { resourceVersion: string } }).metadata;

  const wanted = watchers * creates;
  const latencies: number[] = [];
  let events = 0;
  let complete: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    complete = resolve;
  });
  const opening: Promise<unknown>[] = [];
  const watch = `${path}?watch=1&resourceVersion=${resourceVersion}`;
  for (let i = 0; i < watchers; i++) {
    const scan = createMarkerScanner('"t0":"', 13, (text) => {
      events++;
      if ((events & 15) === 0) latencies.push(Date.now() - Number(text));
      if (events === wanted) complete();
    });
    opening.push(openWatch(target, watch, scan));
    if (opening.length === OPEN_AT_ONCE) await Promise.all(opening.splice(0));
  }
  await Promise.all(opening);
  await sleep(500);
  const look = async () => figuresOf((await first.send(getRequest(target, "/metrics"), true)).body);
  const opened = load.observed ? await look() : undefined;

  const msPerCreate = (watchers / eventsPerSecond) * 1000;
  const started = performance.now();
  let next = 0;
  await Promise.all(
    open.map(async (connection) => {
      while (next < creates) {
        const index = next++;
        const earlyMs = started + index * msPerCreate - performance.now();
        if (earlyMs > 0) await sleep(earlyMs);
        const name = `${prefix}-${index}`;
        const data = { t0: String(Date.now()), pad: "x".repeat(400) };
        const body = JSON.stringify({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name, labels: { t: "x" } },
          data,
        });
        const { status } = await connection.send(writeRequest(target, "POST", path, body));
        if (status !== 201) throw new Error(`creating ConfigMap ${name}: status ${status}, 201 is expected`);
      }
    }),
  );
  const timeout = setTimeout(complete, 60_000);
  await all;
  clearTimeout(timeout);
  const seconds = (performance.now() - started) / 1000;
  const delivered = load.observed ? await look() : undefined;
  latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    events,
    missing: wanted - events,
    seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    ...(opened !== undefined && delivered !== undefined ? { server: { opened, delivered } } : {}),
  } satisfies FanOutOutcome;
});
