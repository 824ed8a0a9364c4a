import { markdownTable } from "../report/table.ts";
import type { CrowdPoint } from "./crowd-point.ts";
import type { GrowthPoint } from "./growth-point.ts";

/** A run of the growth measurement. */
export interface GrowthReport {
  readonly date: string;
  readonly machine: string;
  readonly store: string;
  readonly points: readonly GrowthPoint[];
  readonly crowds: readonly CrowdPoint[];
}

const round = (value: number): string => value.toFixed(0);
const perThousand = (value: number, pods: number): string => (value / (pods / 1000)).toFixed(1);

/** The page that shows how the server grows with what it holds. */
export function renderGrowth({ date, machine, store, points, crowds }: GrowthReport): string {
  const growth = points.map((point) => [
    point.pods.toLocaleString("en"),
    round(point.createsPerSecond),
    `${round(point.listMs)} (${perThousand(point.listMs, point.pods)})`,
    point.listMb.toFixed(1),
    `${round(point.byLabelMs)} (${perThousand(point.byLabelMs, point.pods)})`,
    round(point.watchEventsPerSecond),
    round(point.watchP99Ms),
    round(point.residentMb),
    point.restartSeconds.toFixed(2),
    `${round(point.firstListMs)} (${perThousand(point.firstListMs, point.pods)})`,
    Object.values(point.stallsMs).map(round).join(" / "),
  ]);
  const crowd = crowds.map((point) => [
    point.watchers.toLocaleString("en"),
    round(point.eventsPerSecond),
    round(point.p50Ms),
    round(point.p99Ms),
    round(point.residentMb),
    round(point.stallMs),
  ]);
  const heads = [
    "pods",
    "creates/s",
    "LIST ms (per 1,000)",
    "LIST MB",
    "by label ms (per 1,000)",
    "watch events/s",
    "p99 ms",
    "resident MB",
    "restart to ready s",
    "first LIST then ms (per 1,000)",
    "stalls ms: create / list / watch / restart",
  ];
  return `# Growth

How one API server behaves as it holds more: \`npm run bench -- --growth\` writes this page. Every row fills the same server up to
so many pods of about 2.3 kB (the last 1,000 are created through it, the others copied in etcd), lists them whole and by a label that one in ten has, lets 100 watchers see 8 writers, and
restarts it over the store. A stall is the longest time for which the event loop did nothing else, as the server exports it
(\`nodejs_eventloop_lag_seconds\`). Times in brackets are per 1,000 pods: linear growth keeps them equal.

Measured ${date} on ${store}, the load on the same machine: ${machine}.

${markdownTable(heads, growth)}

## Watchers

So many watchers of one collection, 8 writers; each event goes to every watcher.

${markdownTable(["watchers", "events/s", "p50 ms", "p99 ms", "resident MB", "longest stall ms"], crowd)}
`;
}
