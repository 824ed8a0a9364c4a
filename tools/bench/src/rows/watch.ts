import type { FanOutLoad, FanOutOutcome } from "../load/fan-out-load.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import type { Row } from "../row.ts";

/** Delivery of events to many watchers of the objects that a few writers create. */
export const watch: Row = {
  id: "watch",
  measures: [
    {
      id: "watch",
      work: "watch fan-out, 500 watchers, 8 writers",
      unit: "events/s",
      upstream: { text: "86k events/s", best: 86_000 },
      atLeast: 200_000,
    },
    {
      id: "watch-p99",
      work: "… from create to event, p99",
      unit: "ms",
      upstream: { text: "122 ms", best: 122 },
      atMost: 80,
    },
  ],
  async run({ quick, startServer, note }) {
    const server = await startServer();
    const load: FanOutLoad = {
      target: targetOf(server),
      watchers: quick ? 100 : 500,
      writers: 8,
      creates: quick ? 500 : 2000,
    };
    const outcome = await runLoad<FanOutLoad, FanOutOutcome>("fan-out-load", load);
    if (outcome.missing > 0)
      throw new Error(`${outcome.missing} of ${outcome.events + outcome.missing} events were not delivered`);
    note(`p50 ${outcome.p50Ms} ms; load by Node`);
    return { watch: outcome.events / outcome.seconds, "watch-p99": outcome.p99Ms };
  },
};
