import { setTimeout as sleep } from "node:timers/promises";
import type { CreateLoad, CreateOutcome } from "../load/create-load.ts";
import { fillPods } from "../load/fill-pods.ts";
import type { GetLoad, GetOutcome } from "../load/get-load.ts";
import { collectionPath } from "../load/objects.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import type { Row } from "../row.ts";
import { residentMb } from "../servers/memory.ts";

/** Memory of a server with many objects, and during parallel LISTs. */
export const resident: Row = {
  id: "resident",
  measures: [
    {
      id: "resident",
      work: "resident after 10k pods + 40k ConfigMaps",
      unit: "MB",
      upstream: { text: "1,042 MB", best: 1042 },
      atMost: 350,
    },
    {
      id: "resident-lists",
      work: "… after 16 parallel LISTs of 10.6k pods (24 MB each)",
      unit: "MB",
      upstream: { text: "3,084 MB", best: 3084 },
      atMost: 400,
    },
    {
      id: "parallel-lists",
      work: "… the 16 parallel LISTs",
      unit: "s",
      upstream: { text: "6.4 s", best: 6.4 },
      atMost: 1,
    },
  ],
  async run({ quick, startServer, note }) {
    const server = await startServer();
    const target = targetOf(server);
    const pods = quick ? 1060 : 10_600;
    await fillPods(server, pods);
    const configMaps = quick ? 4000 : 40_000;
    const load: CreateLoad = {
      target,
      kind: "configmap",
      connections: 16,
      padBytes: 0,
      prefix: "fill",
      count: configMaps,
    };
    await runLoad<CreateLoad, CreateOutcome>("create-load", load);
    await sleep(quick ? 1000 : 5000);
    const full = residentMb(server.pid);
    const lists: GetLoad = { target, path: collectionPath("pod"), connections: 16, timesEach: 1 };
    const outcome = await runLoad<GetLoad, GetOutcome>("get-load", lists);
    note(`${pods} pods, ${configMaps} ConfigMaps; ${(outcome.bodyBytes / 1e6).toFixed(1)} MB a list; load by Node`);
    return { resident: full, "resident-lists": residentMb(server.pid), "parallel-lists": outcome.seconds };
  },
};
