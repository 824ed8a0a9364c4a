import type { TestApiServer } from "@orchernetes/testkit";
import type { FanOutLoad, FanOutOutcome } from "../load/fan-out-load.ts";
import { fillPods } from "../load/fill-pods.ts";
import type { GetLoad, GetOutcome } from "../load/get-load.ts";
import { collectionPath, type ObjectKind } from "../load/objects.ts";
import type { RateLoad, RateOutcome } from "../load/rate-load.ts";
import { createTemplates, getTemplates, type RequestTemplate } from "../load/request-template.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import { runWrk, wrkInstalled } from "../load/wrk.ts";

/** A second or two of one kind of load. */
export interface Piece {
  readonly name: string;
  readonly store: "etcd" | "embedded";
  /** Loads the server; `round` makes names distinct. @returns how many requests or events it answered */
  run(server: TestApiServer, round: number): Promise<number>;
}

/** Pods that are there before the first piece, of which a LIST has all. */
const PODS = 2000;
const SECONDS = 1;

/** What the pieces need to be there. */
export const prepare = (server: TestApiServer): Promise<void> => fillPods(server, PODS);

/** Sends requests over some connections for a second. @returns how many were answered */
export async function load(
  server: TestApiServer,
  templates: readonly RequestTemplate[],
  connections: number,
): Promise<number> {
  const rate: RateLoad = { target: targetOf(server), templates, connections, seconds: SECONDS };
  const { answers, failed } = wrkInstalled()
    ? await runWrk(rate)
    : await runLoad<RateLoad, RateOutcome>("rate-load", rate);
  if (failed > 0) throw new Error(`${failed} of ${answers} requests failed`);
  return answers;
}

const create = (kind: ObjectKind, store: Piece["store"]): Piece => ({
  name: `create ${kind === "pod" ? "Pod" : "ConfigMap"}, ${store}`,
  store,
  run: (server, round) => load(server, createTemplates(targetOf(server), kind, `round-${round}`), 16),
});

const get = (name: string, store: Piece["store"], path: string, connections: number): Piece => ({
  name: `${name}, ${store}`,
  store,
  run: (server) => load(server, getTemplates(targetOf(server), path), connections),
});

const list: Piece = {
  name: `LIST ${PODS} pods, embedded`,
  store: "embedded",
  async run(server) {
    const whole: GetLoad = { target: targetOf(server), path: collectionPath("pod"), connections: 2, timesEach: 20 };
    return (await runLoad<GetLoad, GetOutcome>("get-load", whole)).answers;
  },
};

const watch: Piece = {
  name: "watch, an event to one of 100 watchers, embedded",
  store: "embedded",
  async run(server, round) {
    const fan: FanOutLoad = {
      target: targetOf(server),
      watchers: 100,
      writers: 8,
      creates: 500,
      prefix: `fan-${round}`,
    };
    const { events, missing } = await runLoad<FanOutLoad, FanOutOutcome>("fan-out-load", fan);
    if (missing > 0) throw new Error(`${missing} events never came`);
    return events;
  },
};

const pod = `${collectionPath("pod")}/fill-0`;

/** In the order in which they run: those that add pods come after those that list them. */
export const pieces: readonly Piece[] = [
  get("GET a pod", "etcd", pod, 16),
  get("GET a pod, resourceVersion=0", "etcd", `${pod}?resourceVersion=0`, 16),
  create("configmap", "etcd"),
  create("pod", "etcd"),
  list,
  get("LIST by label", "embedded", `${collectionPath("pod")}?labelSelector=tier%3Dt3`, 4),
  get("GET a pod", "embedded", pod, 16),
  watch,
  create("configmap", "embedded"),
  create("pod", "embedded"),
];
