import { setTimeout as sleep } from "node:timers/promises";
import type { Row } from "../row.ts";
import { residentMb } from "../servers/memory.ts";

/** The engine's collection of garbage in steps, and what it then gives back, take some half a minute. */
const IDLE_MS = 60_000;

/** The time from the start of the process to /readyz with an empty store, and the memory of the idle server after that. */
export const start: Row = {
  id: "start",
  idle: true,
  measures: [
    {
      id: "start",
      work: "process start to /readyz, empty store",
      unit: "s",
      upstream: { text: "3.5–4.1 s", best: 3.5 },
      atMost: 0.8,
    },
    {
      id: "idle-memory",
      work: "idle resident memory, API server",
      unit: "MB",
      upstream: { text: "323–331 MB", best: 323 },
      atMost: 120,
    },
  ],
  async run({ quick, startServer }) {
    const times: number[] = [];
    let memory = 0;
    const starts = quick ? 1 : 5;
    for (let i = 1; i <= starts; i++) {
      const server = await startServer();
      times.push(server.readyAfterMs / 1000);
      // The first start may have to fill the compile cache, which takes memory that is not released.
      if (i === starts) {
        await sleep(IDLE_MS);
        memory = residentMb(server.pid);
      }
      await server.stop();
    }
    times.sort((a, b) => a - b);
    return { start: times[times.length >> 1] ?? Number.NaN, "idle-memory": memory };
  },
};
