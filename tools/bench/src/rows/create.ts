import { etcdAvailable } from "@orchernetes/testkit";
import { measureRate } from "../load/measure-rate.ts";
import { createTemplates } from "../load/request-template.ts";
import { targetOf } from "../load/run-load.ts";
import type { Measure, Row } from "../row.ts";

const figures = {
  "configmap-etcd": { upstream: { text: "1,692 /s", best: 1692 }, atLeast: 3400 },
  "configmap-embedded": { upstream: undefined, atLeast: 8000 },
  "pod-etcd": { upstream: { text: "883 /s", best: 883 }, atLeast: 2600 },
  "pod-embedded": { upstream: undefined, atLeast: 5000 },
} as const;

/** Creates of one kind over 16 connections on one store. */
function createRow(kind: "configmap" | "pod", store: "etcd" | "embedded"): Row {
  const { upstream, atLeast } = figures[`${kind}-${store}`];
  const id = `create-${kind}-${store}`;
  const measure: Measure = {
    id,
    work: `create ${kind === "pod" ? "Pod" : "ConfigMap"}, 16 connections, ${store}`,
    unit: "/s",
    atLeast,
    ...(upstream === undefined ? {} : { upstream }),
  };
  return {
    id,
    measures: [measure],
    unavailable: store === "etcd" && !etcdAvailable() ? "etcd is not installed" : undefined,
    async run({ quick, startServer, note }) {
      const server = await startServer(store);
      const target = targetOf(server);
      const run = (prefix: string, seconds: number) =>
        measureRate({ target, templates: createTemplates(target, kind, prefix), connections: 16, seconds });
      await run("warm", quick ? 1 : 5);
      const { perSecond, by } = await run("load", quick ? 2 : 8);
      note(`load by ${by}`);
      return { [id]: perSecond };
    },
  };
}

/** One row per kind and store. */
export const createRows: readonly Row[] = [
  createRow("configmap", "etcd"),
  createRow("configmap", "embedded"),
  createRow("pod", "etcd"),
  createRow("pod", "embedded"),
];
