import type { TestApiServer } from "@orchernetes/testkit";
import type { FanOutLoad, FanOutOutcome } from "../load/fan-out-load.ts";
import { fillPods } from "../load/fill-pods.ts";
import type { GetLoad, GetOutcome } from "../load/get-load.ts";
import type { Target } from "../load/http-connection.ts";
import { collectionPath, type ObjectKind } from "../load/objects.ts";
import { createTemplates, getTemplates, type RequestTemplate } from "../load/request-template.ts";
import { runLoad, targetOf } from "../load/run-load.ts";

/** One kind of load. */
export type Piece = { readonly name: string; readonly store: "etcd" | "embedded" } & (Requests | Rounds);

/** Requests that are sent as fast as they are answered. */
export interface Requests {
  readonly type: "requests";
  /** `run` makes names distinct. */
  templates(target: Target, run: string): readonly RequestTemplate[];
  readonly connections: number;
}

/** A load of a second or two with an end of its own. */
export interface Rounds {
  readonly type: "rounds";
  /** Loads the server; `round` makes names distinct. @returns how many requests or events it answered */
  run(server: TestApiServer, round: number): Promise<number>;
}

/** Pods that are there before the first piece, of which a LIST has all. */
const PODS = 2000;

/** What the pieces need to be there. */
export const prepare = (server: TestApiServer): Promise<void> => fillPods(server, PODS);

const create = (kind: ObjectKind, store: Piece["store"]): Piece => ({
  name: `create ${kind === "pod" ? "Pod" : "ConfigMap"}, ${store}`,
  store,
  type: "requests",
  templates: (target, run) => createTemplates(target, kind, run),
  connections: 16,
});

const get = (name: string, store: Piece["store"], path: string, connections: number): Piece => ({
  name: `${name}, ${store}`,
  store,
  type: "requests",
  templates: (target) => getTemplates(target, path),
  connections,
});

const list: Piece = {
  name: `LIST ${PODS} pods, embedded`,
  store: "embedded",
  type: "rounds",
  async run(server) {
    const whole: GetLoad = { target: targetOf(server), path: collectionPath("pod"), connections: 2, timesEach: 20 };
    return (await runLoad<GetLoad, GetOutcome>("get-load", whole)).answers;
  },
};

const watch: Piece = {
  name: "watch, an event to one of 100 watchers, embedded",
  store: "embedded",
  type: "rounds",
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
