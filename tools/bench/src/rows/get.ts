import { etcdAvailable } from "@orchernetes/testkit";
import type { CreateLoad, CreateOutcome } from "../load/create-load.ts";
import { measureRate } from "../load/measure-rate.ts";
import { collectionPath } from "../load/objects.ts";
import { getTemplates } from "../load/request-template.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import type { Measure, Row } from "../row.ts";

const uncached = { text: "3,428 /s", best: 3428 };
const cached = { text: "4,957 /s", best: 4957 };

/** GET of one pod over 16 connections, with the latest state and with any state (`resourceVersion=0`). */
function getRow(store: "etcd" | "embedded"): Row {
  const work = `GET a pod, 16 connections, ${store}`;
  const shared = { unit: "/s", atLeast: 20_000 } as const;
  const latest: Measure = { id: `get-${store}`, work, ...shared, ...(store === "etcd" ? { upstream: uncached } : {}) };
  const any: Measure = { id: `get-any-${store}`, work: "… with resourceVersion=0", ...shared, upstream: cached };
  return {
    id: `get-${store}`,
    measures: store === "etcd" ? [latest, any] : [latest],
    unavailable: store === "etcd" && !etcdAvailable() ? "etcd is not installed" : undefined,
    async run({ quick, startServer, note }) {
      const server = await startServer(store);
      const target = targetOf(server);
      const pod: CreateLoad = { target, kind: "pod", connections: 1, padBytes: 0, prefix: "get", count: 1 };
      await runLoad<CreateLoad, CreateOutcome>("create-load", pod);
      const path = `${collectionPath("pod")}/get-0`;
      const ask = (query: string, seconds: number) =>
        measureRate({ target, templates: getTemplates(target, `${path}${query}`), connections: 16, seconds });
      await ask("", quick ? 1 : 3);
      const { perSecond, by } = await ask("", quick ? 2 : 6);
      note(`load by ${by}`);
      if (store === "embedded") return { [latest.id]: perSecond };
      await ask("?resourceVersion=0", 1);
      return { [latest.id]: perSecond, [any.id]: (await ask("?resourceVersion=0", quick ? 2 : 6)).perSecond };
    },
  };
}

/** One row per store. */
export const getRows: readonly Row[] = [getRow("etcd"), getRow("embedded")];
