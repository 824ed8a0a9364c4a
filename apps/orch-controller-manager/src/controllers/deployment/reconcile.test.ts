import { findCondition } from "@orchernetes/component-helpers";
import { describe, expect, test } from "vitest";
import { type DeploymentSketch, deployment, pod, replicaSet, template } from "../../testing/builders.ts";
import { newReplicaSetAnnotations, revisionOf } from "./annotations.ts";
import { fenceposts } from "./limits.ts";
import { type DeploymentAction, reconcile } from "./reconcile.ts";
import type { Deployment, ReplicaSet } from "./rollout.ts";

const start = Date.parse("2024-01-01T00:00:00Z");

/** A simulation in which ReplicaSets follow their specs, one pod at a time. */
class World {
  deployment: Deployment;
  sets: ReplicaSet[] = [];
  nowMs = start;
  minAvailable = Number.POSITIVE_INFINITY;
  maxPods = 0;
  /** Pods of these images never become available. */
  readonly broken = new Set<string>();
  readonly log: string[] = [];

  constructor(sketch: DeploymentSketch) {
    this.deployment = deployment("d", sketch);
  }

  change(sketch: DeploymentSketch): void {
    const next = deployment("d", sketch);
    const { annotations = {} } = this.deployment.metadata;
    const generation = (this.deployment.metadata.generation ?? 1) + 1;
    this.deployment = {
      ...next,
      metadata: { ...next.metadata, generation, annotations: { ...annotations, ...next.metadata.annotations } },
      status: this.deployment.status,
    };
  }

  /** One decision; whether it did anything. */
  decide(): boolean {
    const { actions } = reconcile(
      {
        deployment: this.deployment,
        replicaSets: this.sets,
        podsOf: (set) => Array.from({ length: set.status.replicas }, (_, i) => pod(`${set.metadata.name}-${i}`)),
        settled: true,
      },
      new Date(this.nowMs),
    );
    for (const action of actions) this.apply(action);
    return actions.length > 0;
  }

  /** Every ReplicaSet makes its pods, and half of what is missing becomes available. */
  live(): boolean {
    let moved = false;
    this.sets = this.sets.map((set) => {
      const wanted = set.spec.replicas ?? 1;
      const broken = this.broken.has(set.spec.template.spec.containers[0]?.image ?? "");
      const before = Math.min(set.status.availableReplicas ?? 0, wanted);
      const available = broken ? 0 : Math.min(wanted, before + Math.ceil((wanted - before) / 2));
      if (wanted !== set.status.replicas || available !== (set.status.availableReplicas ?? 0)) moved = true;
      return {
        ...set,
        status: { ...set.status, replicas: wanted, availableReplicas: available, readyReplicas: available },
      };
    });
    const total = this.sets.reduce((sum, { status }) => sum + status.replicas, 0);
    const available = this.sets.reduce((sum, { status }) => sum + (status.availableReplicas ?? 0), 0);
    this.minAvailable = Math.min(this.minAvailable, available);
    this.maxPods = Math.max(this.maxPods, total);
    this.nowMs += 1000;
    return moved;
  }

  settle(): this {
    for (let i = 0; i < 200; i++) {
      const decided = this.decide();
      const lived = this.live();
      if (!decided && !lived) return this;
    }
    throw new Error("the rollout does not settle");
  }

  watchBounds(): this {
    this.minAvailable = Number.POSITIVE_INFINITY;
    this.maxPods = 0;
    return this;
  }

  /** Images with their replicas, oldest first. */
  get shape(): string {
    return this.sets.map(({ spec }) => `${spec.template.spec.containers[0]?.image}×${spec.replicas}`).join(" ");
  }

  get progress(): string {
    return findCondition(this.deployment.status.conditions, "Progressing")?.reason ?? "";
  }

  private apply(action: DeploymentAction): void {
    switch (action.type) {
      case "CreateReplicaSet": {
        const { metadata, spec } = action.replicaSet;
        const made = replicaSet(metadata.name, { created: new Date(this.nowMs).toISOString() });
        const { uid, resourceVersion, creationTimestamp } = made.metadata;
        this.sets.push({
          ...made,
          metadata: { ...made.metadata, ...metadata, uid, resourceVersion, creationTimestamp },
          spec,
        });
        break;
      }
      case "UpdateReplicaSet":
        this.sets = this.sets.map((set) =>
          set.metadata.name === action.replicaSet.metadata.name ? { ...action.replicaSet, status: set.status } : set,
        );
        break;
      case "DeleteReplicaSet":
        this.sets = this.sets.filter(({ metadata }) => metadata.name !== action.replicaSet.metadata.name);
        break;
      case "UpdateStatus":
        this.deployment = action.deployment;
        break;
    }
    this.log.push(action.type);
  }
}

describe("a rolling update", () => {
  test.each<[string, DeploymentSketch, { readonly min: number; readonly max: number }]>([
    ["by quarters", { replicas: 10 }, { min: 8, max: 13 }],
    ["surge only", { replicas: 10, maxSurge: 1, maxUnavailable: 0 }, { min: 10, max: 11 }],
    ["no surge", { replicas: 10, maxSurge: 0, maxUnavailable: 2 }, { min: 8, max: 10 }],
    ["all at once", { replicas: 10, maxSurge: "100%", maxUnavailable: "100%" }, { min: 0, max: 20 }],
    ["of one", { replicas: 1 }, { min: 1, max: 2 }],
  ])("%s keeps within its limits", (_, sketch, { min, max }) => {
    const world = new World({ ...sketch, image: "i:1" }).settle().watchBounds();
    world.change({ ...sketch, image: "i:2" });
    world.settle();
    expect(world.shape).toBe(`i:1×0 i:2×${sketch.replicas}`);
    expect(world.minAvailable).toBeGreaterThanOrEqual(min);
    expect(world.maxPods).toBeLessThanOrEqual(max);
    expect(world.progress).toBe("NewReplicaSetAvailable");
    expect(world.deployment.status).toMatchObject({ updatedReplicas: sketch.replicas, observedGeneration: 2 });
  });

  test("revisions increase, and a rollback gets a new one", () => {
    const world = new World({ image: "i:1" }).settle();
    expect(revisionOf(world.deployment.metadata.annotations)).toBe(1n);
    world.change({ image: "i:2" });
    world.settle();
    expect(world.deployment.metadata.annotations).toMatchObject({
      "deployment.orchernetes.io/revision": "2",
      "deployment.kubernetes.io/revision": "2",
    });
    world.change({ image: "i:1" });
    world.settle();
    expect(world.shape).toBe("i:1×1 i:2×0");
    expect(world.sets.map(({ metadata }) => metadata.annotations)).toMatchObject([
      { "deployment.orchernetes.io/revision": "3", "deployment.orchernetes.io/revision-history": "1" },
      { "deployment.orchernetes.io/revision": "2" },
    ]);
  });

  test("a rollout of a broken template stops within the limits, and continues with a working one", () => {
    const world = new World({ replicas: 10, image: "i:1" }).settle().watchBounds();
    world.broken.add("i:bad");
    world.change({ replicas: 10, image: "i:bad" });
    world.settle();
    expect(world.shape).toBe("i:1×8 i:bad×5");
    expect(world.minAvailable).toBe(8);
    world.nowMs += 700_000;
    world.settle();
    expect(world.progress).toBe("ProgressDeadlineExceeded");
    world.change({ replicas: 10, image: "i:3" });
    world.settle();
    expect(world.shape).toBe("i:1×0 i:bad×0 i:3×10");
  });

  test("pods that are still reported of an old ReplicaSet that was scaled down are no reason to scale it down further", () => {
    const sketch = { replicas: 4, maxSurge: 2, maxUnavailable: 0 };
    const world = new World({ ...sketch, image: "i:3" });
    const set = (name: string, image: string, replicas: number, availableReplicas: number): ReplicaSet =>
      replicaSet(name, { replicas, template: template(image), status: { replicas: 4, availableReplicas } });
    // One of the four available pods of the first is leaving. The second has pods that are not available.
    world.sets = [set("a", "i:1", 3, 4), set("b", "i:2", 3, 1), set("c", "i:3", 0, 0)];
    world.decide();
    expect(world.shape).toBe("i:1×3 i:2×1 i:3×0");
  });

  test("old ReplicaSets beyond the limit go", () => {
    const world = new World({ image: "i:1", historyLimit: 1 }).settle();
    for (const image of ["i:2", "i:3", "i:4"]) {
      world.change({ image, historyLimit: 1 });
      world.settle();
    }
    expect(world.shape).toBe("i:3×0 i:4×1");
  });
});

describe("scaling", () => {
  test("a settled Deployment scales its ReplicaSet", () => {
    const world = new World({ replicas: 3 }).settle();
    world.change({ replicas: 7 });
    world.settle();
    expect(world.shape).toBe("i:1×7");
    world.change({ replicas: 0 });
    world.settle();
    expect(world.shape).toBe("i:1×0");
    expect(world.log.filter((type) => type === "CreateReplicaSet")).toHaveLength(1);
  });

  test("in the middle of a rollout, all ReplicaSets are scaled in proportion", () => {
    const world = new World({ replicas: 10, image: "i:1" }).settle();
    world.broken.add("i:bad");
    world.change({ replicas: 10, image: "i:bad" });
    world.settle();
    expect(world.shape).toBe("i:1×8 i:bad×5");
    world.change({ replicas: 20, image: "i:bad" });
    world.decide();
    // 25 pods in all, 13 before: 8 → 15.4, 5 → 9.6.
    expect(world.shape).toBe("i:1×15 i:bad×10");
  });

  test("a paused Deployment scales but does not roll", () => {
    const world = new World({ replicas: 3 }).settle();
    world.change({ replicas: 5, image: "i:2", paused: true });
    world.settle();
    expect([world.shape, world.progress]).toEqual(["i:1×5", "DeploymentPaused"]);
    world.change({ replicas: 5, image: "i:2" });
    world.settle();
    expect([world.shape, world.progress]).toEqual(["i:1×0 i:2×5", "NewReplicaSetAvailable"]);
  });
});

test("Recreate never runs two templates at once", () => {
  const sketch = { replicas: 4, strategy: { type: "Recreate" as const } };
  const world = new World({ ...sketch, image: "i:1" }).settle().watchBounds();
  world.change({ ...sketch, image: "i:2" });
  world.settle();
  expect([world.shape, world.maxPods, world.minAvailable]).toEqual(["i:1×0 i:2×4", 4, 0]);
});

test("a Deployment that selects all pods is not rolled out", () => {
  const all = deployment("d");
  const state = {
    deployment: { ...all, spec: { ...all.spec, selector: {} } },
    replicaSets: [],
    podsOf: () => [],
    settled: true,
  };
  expect(reconcile(state, new Date(start)).actions.map(({ type }) => type)).toEqual(["Warn", "UpdateStatus"]);
});

test("the new ReplicaSet bears the template's hash", () => {
  const { actions } = reconcile(
    { deployment: deployment("d", { annotations: { note: "x" } }), replicaSets: [], podsOf: () => [], settled: true },
    new Date(start),
  );
  const [create] = actions;
  if (create?.type !== "CreateReplicaSet") throw new Error("no ReplicaSet");
  const { metadata, spec } = create.replicaSet;
  const hash = metadata.labels?.["pod-template-hash"] ?? "";
  expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  expect(metadata).toMatchObject({
    name: `d-${hash}`,
    annotations: { note: "x", "deployment.orchernetes.io/desired-replicas": "1" },
    ownerReferences: [{ kind: "Deployment", name: "d", controller: true, blockOwnerDeletion: true }],
  });
  expect(spec.selector.matchLabels).toEqual({ app: "x", "pod-template-hash": hash });
  expect(spec.template.metadata?.labels).toEqual({ app: "x", "pod-template-hash": hash });
  expect(spec.template.spec).toEqual(template().spec);
});

test.each([
  ["25%", "25%", 10, { surge: 3, unavailable: 2 }],
  ["25%", "25%", 1, { surge: 1, unavailable: 0 }],
  [0, "1%", 10, { surge: 0, unavailable: 1 }],
  [0, 3, 10, { surge: 0, unavailable: 3 }],
  ["x", undefined, 10, { surge: 0, unavailable: 1 }],
])("surge %s, unavailable %s of %i", (surge, unavailable, replicas, want) => {
  expect(fenceposts(surge, unavailable, replicas)).toEqual(want);
});

test.each([
  [undefined, 1, { revision: "1" }],
  [{ revision: "1" }, 3, { revision: "3", "revision-history": "1" }],
  [{ revision: "3", "revision-history": "1" }, 5, { revision: "5", "revision-history": "1,3" }],
  [{ revision: "5" }, 2, { revision: "5" }],
  // Numbers as 64-bit integers, which other numbers of this language do not hold.
  [
    { revision: "3546343826724305832" },
    "3546343826724305833",
    { revision: "3546343826724305833", "revision-history": "3546343826724305832" },
  ],
])("annotations %j at revision %s", (have, revision, want) => {
  const prefix = "deployment.orchernetes.io/";
  const named = Object.fromEntries(Object.entries(have ?? {}).map(([key, value]) => [prefix + key, value]));
  const got = newReplicaSetAnnotations(
    { "orchctl.orchernetes.io/last-applied-configuration": "{}" },
    named,
    BigInt(revision),
  );
  const short = Object.entries(got).filter(([key]) => key.startsWith(prefix));
  expect(Object.fromEntries(short.map(([key, value]) => [key.slice(prefix.length), value]))).toEqual(want);
});

test("a revision above 2^53 counts on exactly", () => {
  const old = replicaSet("d-old", {
    replicas: 1,
    template: template("i:0"),
    annotations: { "deployment.orchernetes.io/revision": "3546343826724305832" },
  });
  const state = { deployment: deployment("d", { image: "i:1" }), replicaSets: [old], podsOf: () => [], settled: true };
  const made = reconcile(state, new Date("2024-01-01T00:10:00Z")).actions.find(
    ({ type }) => type === "CreateReplicaSet",
  );
  expect(made).toMatchObject({
    replicaSet: { metadata: { annotations: { "deployment.orchernetes.io/revision": "3546343826724305833" } } },
  });
});
