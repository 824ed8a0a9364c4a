import { setTimeout as sleep } from "node:timers/promises";
import { figuresOf, type ServerFigures } from "../server-figures.ts";
import { getRequest, HttpConnection, type Target, writeRequest } from "./http-connection.ts";
import { loadProgram } from "./load-program.ts";
import { collectionPath } from "./objects.ts";
import { createMarkerScanner, openWatch } from "./watch-stream.ts";

/** Many watchers of the ConfigMaps that a few writers create. */
export interface FanOutLoad {
  readonly target: Target;
  readonly watchers: number;
  readonly writers: number;
  readonly creates: number;
  /** The start of all names. @default "fan" */
  readonly prefix?: string;
  /**
   * Events per second for all watchers together, to which the writers are throttled: beyond the limit of the load, the load would be
   * measured instead of the server. @default no limit
   */
  readonly eventsPerSecond?: number;
  /** Whether to read the server's figures at the end of each phase, which resets its longest stall. @default false */
  readonly observed?: boolean;
}

/** The result. Latency: from before the create is sent until a watcher has received the event. */
export interface FanOutOutcome {
  readonly events: number;
  readonly missing: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The server's figures when all watches were open, and when all events had been received; undefined unless requested. */
  readonly server?: { readonly opened: ServerFigures; readonly delivered: ServerFigures };
}

/** The largest number of concurrent handshakes: a listening socket rejects those that exceed its backlog. */
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
