import { setTimeout as sleep } from "node:timers/promises";
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
}

/** What came of it. Latency: from before the create was sent until a watcher had the event. */
export interface FanOutOutcome {
  readonly events: number;
  readonly missing: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** More handshakes at once than a listening socket queues would be turned away. */
const OPEN_AT_ONCE = 100;

await loadProgram<FanOutLoad>(async ({ target, watchers, writers, creates, prefix = "fan" }) => {
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

  const started = performance.now();
  let next = 0;
  await Promise.all(
    open.map(async (connection) => {
      while (next < creates) {
        const name = `${prefix}-${next++}`;
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
  latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    events,
    missing: wanted - events,
    seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  } satisfies FanOutOutcome;
});
