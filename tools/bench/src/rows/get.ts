import type { CreateLoad, CreateOutcome } from "../load/create-load.ts";
import { getRate } from "../load/get-rate.ts";
import { collectionPath } from "../load/objects.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import type { Row } from "../row.ts";

/** GET of one pod over 16 connections. */
export const get: Row = {
  id: "get",
  measures: [
    {
      id: "get",
      work: "GET a pod, 16 connections",
      unit: "/s",
      upstream: { text: "3,428 /s (cached 4,957)", best: 4957 },
      atLeast: 20_000,
    },
  ],
  async run({ quick, startServer, note }) {
    const server = await startServer();
    const target = targetOf(server);
    const load: CreateLoad = { target, kind: "pod", connections: 1, padBytes: 0, prefix: "get", count: 1 };
    await runLoad<CreateLoad, CreateOutcome>("create-load", load);
    const ask = { target, path: `${collectionPath("pod")}/get-0`, connections: 16 };
    await getRate({ ...ask, seconds: quick ? 1 : 3 });
    const { perSecond, by } = await getRate({ ...ask, seconds: quick ? 2 : 6 });
    note(`asked by ${by}`);
    return { get: perSecond };
  },
};
