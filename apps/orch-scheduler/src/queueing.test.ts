import type { core } from "@orchernetes/api";
import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import type { Informer, ResourceHandler } from "@orchernetes/client";
import { FakeClock } from "@orchernetes/kernel";
import { node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { NominatedPods } from "./cache/nominated-pods.ts";
import { podInfo } from "./cache/pod-info.ts";
import { SchedulerCache } from "./cache/scheduler-cache.ts";
import { followCluster } from "./cluster/event-handlers.ts";
import { schedulePod } from "./framework/schedule-pod.ts";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { RandomNumbers } from "./random-numbers.ts";
import { profileOf } from "./testing/profiles.ts";

/** Random choices from a seed. */
class Choices {
  readonly #numbers: RandomNumbers;

  constructor(seed: number) {
    this.#numbers = new RandomNumbers(seed);
  }

  below(limit: number): number {
    return Math.floor(this.#numbers.next() * limit);
  }

  of<T>(all: readonly [T, ...T[]]): T {
    return all[this.below(all.length)] ?? all[0];
  }

  maybe(chance = 0.3): boolean {
    return this.#numbers.next() < chance;
  }
}

/** An informer of which the test calls the handlers. */
function fakeInformer<T extends ApiObject>() {
  const handlers: ResourceHandler<T>[] = [];
  const stored = new Map<string, Stored<T>>();
  const informer = { addHandler: (handler: ResourceHandler<T>) => void handlers.push(handler) };
  return {
    informer: informer as unknown as Informer<T>,
    stored,
    put(object: Stored<T>): void {
      const { name } = object.metadata;
      const old = stored.get(name);
      stored.set(name, object);
      for (const handler of handlers)
        if (old === undefined) handler.onAdd?.(object, false);
        else handler.onUpdate?.(old, object);
    },
    remove(name: string): void {
      const old = stored.get(name);
      stored.delete(name);
      if (old !== undefined) for (const handler of handlers) handler.onDelete?.(old, false);
    },
  };
}

const labelled = (choices: Choices): Record<string, string> => ({
  ...(choices.maybe(0.8) && { zone: choices.of(["1", "2"]) }),
  ...(choices.maybe(0.5) && { disk: choices.of(["ssd", "hdd"]) }),
});

function randomNode(choices: Choices, name: string): Stored<core.Node> {
  let built = node(name)
    .labels(labelled(choices))
    .capacity({ cpu: String(1 + choices.below(4)), memory: "4Gi", pods: String(1 + choices.below(3)) });
  if (choices.maybe(0.2)) built = built.taint("k", choices.of(["NoSchedule", "NoExecute", "PreferNoSchedule"]));
  if (choices.maybe(0.15)) built = built.unschedulable();
  return built.build();
}

const term = (choices: Choices) => ({
  topologyKey: choices.of(["zone", "disk"]),
  labelSelector: { matchLabels: { app: choices.of(["a", "b"]) } },
});

function randomPod(choices: Choices, name: string): PodBuilder {
  let built = pod(name)
    .requests({ cpu: String(1 + choices.below(2)) })
    .labels({ app: choices.of(["a", "b", "c"]) });
  if (choices.maybe(0.2)) built = built.hostPorts(choices.of([80, 81]));
  if (choices.maybe(0.2))
    built = built.spec({
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(choices)] } },
    });
  if (choices.maybe(0.1)) built = built.deletedAt();
  return built;
}

function waitingPod(choices: Choices): PodBuilder {
  let built = pod("waiting")
    .requests({ cpu: String(choices.below(4)) })
    .labels({ app: choices.of(["a", "b", "c"]) });
  if (choices.maybe()) built = built.hostPorts(80);
  if (choices.maybe()) built = built.nodeSelector({ disk: "ssd" });
  if (choices.maybe()) built = built.toleration({ key: "k", operator: "Exists" });
  const required = () => ({ requiredDuringSchedulingIgnoredDuringExecution: [term(choices)] });
  if (choices.maybe())
    built = built.spec({
      affinity: choices.maybe(0.5) ? { podAffinity: required() } : { podAntiAffinity: required() },
    });
  if (choices.maybe())
    built = built.spec({
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "zone",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: { matchLabels: { app: choices.of(["a", "b"]) } },
          ...(choices.maybe(0.5) && { minDomains: 2 }),
          ...(choices.maybe(0.5) && { nodeTaintsPolicy: "Honor" }),
          ...(choices.maybe(0.5) && { nodeAffinityPolicy: "Ignore" }),
        },
      ],
    });
  return built;
}

const NODES = ["n0", "n1", "n2"] as const;
const PODS = ["q0", "q1", "q2", "q3"] as const;

/** A cluster in which one pod waits. */
class Waiting {
  readonly #clock = new FakeClock();
  readonly #cache = new SchedulerCache();
  readonly #queue = new SchedulingQueue({ clock: this.#clock });
  readonly #profile = profileOf();
  readonly #nodes = fakeInformer<core.Node>();
  readonly #pods = fakeInformer<core.Pod>();
  readonly #choices: Choices;
  readonly log: string[] = [];

  constructor(choices: Choices) {
    this.#choices = choices;
    followCluster(
      {
        pods: this.#pods.informer,
        nodes: this.#nodes.informer,
        namespaces: fakeInformer<core.Namespace>().informer,
        volumes: [],
      },
      { cache: this.#cache, queue: this.#queue, nominated: new NominatedPods(), responsible: () => true },
    );
    for (const name of NODES) if (choices.maybe(0.7)) this.#nodes.put(randomNode(choices, name));
    for (const name of PODS)
      if (choices.maybe(0.7)) this.#pods.put(randomPod(choices, name).on(choices.of(NODES)).build());
    this.#queue.add(podInfo(waitingPod(choices).build()));
  }

  /** Tries the pod if it is due. Returns whether it has found a node. */
  attempt(): boolean {
    this.#clock.advance(20_000);
    const queued = this.#queue.pop();
    if (queued === undefined) return false;
    const verdict = schedulePod(queued.info, this.#cache.nodes, this.#profile, { start: 0, random: () => 0 });
    if (verdict.type === "unschedulable") this.#queue.fail(queued, verdict.rejectors);
    return verdict.type === "node";
  }

  /** Changes a node or a pod. Returns whether the pod would be tried after it, and whether it would find a node. */
  change(): { readonly woken: boolean; readonly fits: boolean } {
    const choices = this.#choices;
    if (choices.maybe(0.5)) {
      const name = choices.of(NODES);
      if (choices.maybe(0.2)) this.#nodes.remove(name);
      else this.#nodes.put(randomNode(choices, name));
    } else {
      const name = choices.of(PODS);
      const known = this.#pods.stored.get(name);
      if (known === undefined) this.#pods.put(randomPod(choices, name).on(choices.of(NODES)).build());
      else if (choices.maybe(0.5)) this.#pods.remove(name);
      else {
        const labels = { app: choices.of(["a", "b", "c"]) };
        this.#pods.put({ ...known, metadata: { ...known.metadata, labels } });
      }
    }
    const [queued] = this.#queue.pods();
    if (queued === undefined) throw new Error("the pod is in no queue");
    const verdict = schedulePod(queued.info, this.#cache.nodes, this.#profile, { start: 0, random: () => 0 });
    return { woken: queued.place !== "unschedulable", fits: verdict.type === "node" };
  }

  /** The state, for a finding. */
  describe(): unknown {
    const specs = (stored: ReadonlyMap<string, Stored<ApiObject>>) =>
      [...stored.values()].map(({ metadata: { name, labels }, ...rest }) => ({ name, labels, ...rest }));
    const [queued] = this.#queue.pods();
    return JSON.stringify(
      {
        waiting: queued?.info.pod.spec,
        rejectors: queued?.rejectors.map(({ name }) => name),
        nodes: specs(this.#nodes.stored as never),
        pods: specs(this.#pods.stored as never),
      },
      undefined,
      1,
    );
  }
}

test("every change that makes a pod schedulable reactivates it, and most other changes do not", () => {
  let helped = 0;
  let needless = 0;
  let quiet = 0;
  for (let seed = 0; seed < 8000; seed++) {
    const waiting = new Waiting(new Choices(seed));
    if (waiting.attempt()) continue;
    for (let step = 0; step < 6; step++) {
      const { woken, fits } = waiting.change();
      if (fits && !woken)
        expect.fail(`seed ${seed}, step ${step}: the pod waits, although it fits\n${waiting.describe()}`);
      if (fits) {
        helped++;
        break;
      }
      if (woken) needless++;
      else quiet++;
      waiting.attempt();
    }
  }
  expect(helped).toBeGreaterThan(1500);
  expect(needless / (needless + quiet)).toBeLessThan(0.4);
}, 60_000);
