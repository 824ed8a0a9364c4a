import { markdownTable } from "../report/table.ts";
import { CROWD_EVENTS_PER_SECOND, type CrowdPoint } from "./crowd-point.ts";
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

/** Renders the page that shows how the server's use of resources grows with the number of objects. */
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
    point.cpuMicros.toFixed(1),
    round(point.p50Ms),
    round(point.p99Ms),
    round(point.residentMb),
    Object.values(point.stallsMs).map(round).join(" / "),
  ]);
  const crowdHeads = [
    "watchers",
    "events/s",
    "server's CPU µs an event",
    "p50 ms",
    "p99 ms",
    "resident MB",
    "stalls ms: open / events / leave",
  ];
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

This page shows how one API server behaves as the number of objects grows. \`npm run bench -- --growth\` writes it. Each row fills the same server up
to a number of pods of about 2.3 kB, of which the last 1,000 are created through the server and the others are copied in etcd. It then lists all
pods, lists those with a label that one pod in ten has, runs 100 watchers with 8 writers, and restarts the server with the same store.

Times in parentheses are per 1,000 pods: they remain the same if growth is linear. A stall is the longest time for which the event loop was blocked,
as the server exports it (\`nodejs_eventloop_lag_seconds\`). Figures before 24 November 2026 include a sampling interval of 20 ms.

Measured on ${date}, on ${store}, with the load on the same machine: ${machine}.

${markdownTable(heads, growth)}

## Watchers

In each row, a number of watchers watch one collection, to which 8 writers write; every watcher gets each event. The load generator decrypts all
events on one thread. So that the measurement does not show the limit of this thread, the rate of the writers is chosen so that all watchers together
get ${CROWD_EVENTS_PER_SECOND.toLocaleString("en")} events per second. The server's CPU time per event must not grow with the number of watchers. Watchers connect 100 at a time, and all
disconnect at once.

${markdownTable(crowdHeads, crowd)}
`;
}
