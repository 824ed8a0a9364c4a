import { strict as assert } from "node:assert";
import type { core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { messageOf } from "@orchernetes/kernel";
import { poll } from "@orchernetes/testkit";
import { type ClusterObjects, clusterObjects } from "./cluster-objects.ts";

/** What a scheduler of any level does with a cluster, and how that is seen in the API. */
interface Step {
  readonly name: string;
  readonly run: (cluster: ClusterObjects, client: Client) => Promise<void>;
}

/** The result of a step; undefined: as it should be. */
export interface StepResult {
  readonly name: string;
  readonly error: string | undefined;
}

const dedicated: core.Taint = { key: "dedicated", value: "x", effect: "NoSchedule" };
const toleration: core.Toleration = { key: "dedicated", operator: "Exists" };
const on = (name: string) => ({ "orchernetes.io/hostname": name });
const near = (app: string): core.PodAffinityTerm => ({ topologyKey: "zone", labelSelector: { matchLabels: { app } } });
const required = <T>(term: T) => ({ requiredDuringSchedulingIgnoredDuringExecution: [term] });

/** Small pods that are created at the same time. */
const MANY = 60;

async function spreads({ createPod, nodeOf }: ClusterObjects): Promise<void> {
  const labels = { app: "spread" };
  const topologySpreadConstraints: readonly core.TopologySpreadConstraint[] = [
    { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: labels } },
  ];
  const names = ["s0", "s1", "s2", "s3"];
  for (const name of names) await createPod(name, { labels, spec: { topologySpreadConstraints } });
  const nodes = await Promise.all(names.map(nodeOf));
  assert.deepEqual(nodes.toSorted(), ["a", "a", "b", "b"]);
}

async function bindsMany({ createPod, pods }: ClusterObjects): Promise<void> {
  const names = Array.from({ length: MANY }, (_, i) => `m${i}`);
  await Promise.all(names.map((name) => createPod(name, { cpu: "50m" })));
  const all = await poll({ what: `${MANY} pods to be bound`, timeoutMs: 120_000 }, async () => {
    const found = (await pods()).filter(({ metadata }) => names.includes(metadata.name));
    return found.length === MANY && found.every(({ spec }) => spec.nodeName) && found;
  });
  assert.deepEqual(new Set(all.map(({ spec }) => spec.nodeName)), new Set(["a", "b"]));
}

async function waitsForRoom({ createPod, nodeOf, refusalOf, removePod }: ClusterObjects): Promise<void> {
  await createPod("large", { cpu: "7", spec: { tolerations: [toleration], nodeSelector: on("c") } });
  await nodeOf("large");
  await createPod("waiting", { cpu: "7", spec: { tolerations: [toleration], nodeSelector: on("c") } });
  await refusalOf("waiting");
  await removePod("large");
  assert.equal(await nodeOf("waiting"), "c");
}

async function preempts({ createPod, nodeOf, pods, pod, removePod }: ClusterObjects): Promise<void> {
  for (const { metadata } of await pods()) await removePod(metadata.name);
  await createPod("protected", { cpu: "3", labels: { app: "protected" }, spec: { nodeSelector: on("a") } });
  await createPod("victim", { cpu: "3", spec: { nodeSelector: on("b") } });
  await Promise.all(["protected", "victim"].map(nodeOf));
  await createPod("important", { cpu: "3", spec: { priorityClassName: "important" } });
  assert.equal(await nodeOf("important"), "b");
  assert.equal((await pod("protected")).spec.nodeName, "a");
  assert.deepEqual((await pods()).map(({ metadata }) => metadata.name).toSorted(), ["important", "protected"]);
}

const steps: readonly Step[] = [
  {
    name: "takes the lease",
    run: (_, client) =>
      poll({ what: "a holder of the lease", timeoutMs: 60_000 }, async () => {
        const path = "/apis/coordination.o8s.io/v1/namespaces/orch-system/leases";
        const { items } = (await client.request({ method: "GET", path })) as {
          readonly items: readonly { readonly spec: { readonly holderIdentity?: string } }[];
        };
        return items.some(({ spec }) => spec.holderIdentity);
      }).then(() => undefined),
  },
  {
    name: "binds a pod, and records an event",
    async run({ createPod, nodeOf, eventOf }) {
      await createPod("first");
      assert.match(await nodeOf("first"), /^[ab]$/);
      assert.match((await eventOf("first", "Scheduled")).message ?? "", /Successfully assigned default\/first to [ab]/);
    },
  },
  { name: "spreads pods over zones", run: spreads },
  {
    name: "says why a pod fits no node",
    async run({ createPod, refusalOf, eventOf, removePod }) {
      await createPod("huge", { cpu: "100" });
      assert.match(await refusalOf("huge"), /^0\/3 nodes are available: .*Insufficient cpu/);
      assert.match((await eventOf("huge", "FailedScheduling")).message ?? "", /Insufficient cpu/);
      await removePod("huge");
    },
  },
  {
    name: "keeps pods away from taints, and lets those through that tolerate them",
    async run({ createPod, nodeOf, refusalOf, removePod }) {
      await createPod("kept-away", { spec: { nodeSelector: on("c") } });
      assert.match(await refusalOf("kept-away"), /taint/);
      await removePod("kept-away");
      await createPod("tolerant", { spec: { nodeSelector: on("c"), tolerations: [toleration] } });
      assert.equal(await nodeOf("tolerant"), "c");
    },
  },
  {
    name: "puts pods near others, and away from others",
    async run({ createPod, nodeOf }) {
      await createPod("x", { labels: { app: "x" }, spec: { nodeSelector: on("a") } });
      await nodeOf("x");
      await createPod("near-x", { spec: { affinity: { podAffinity: required(near("x")) } } });
      await createPod("not-near-x", { spec: { affinity: { podAntiAffinity: required(near("x")) } } });
      assert.deepEqual([await nodeOf("near-x"), await nodeOf("not-near-x")], ["a", "b"]);
    },
  },
  { name: `binds ${MANY} pods that are created at the same time`, run: bindsMany },
  { name: "gives a pod the room that another leaves", run: waitsForRoom },
  { name: "evicts pods of lower priority, and spares those that a disruption budget protects", run: preempts },
];

/** Creates three nodes, a priority class, and a disruption budget that allows nothing. */
async function setUp({ create, createNode }: ClusterObjects, client: Client, policyVersion: string): Promise<void> {
  await createNode("a", "4", "1");
  await createNode("b", "4", "2");
  await createNode("c", "8", "2", [dedicated]);
  const priority = { apiVersion: "scheduling.o8s.io/v1", kind: "PriorityClass", metadata: { name: "important" } };
  await create("/apis/scheduling.o8s.io/v1/priorityclasses", { ...priority, value: 1000 });
  const budgets = `/apis/policy/${policyVersion}/namespaces/default/poddisruptionbudgets`;
  await create(budgets, {
    apiVersion: `policy/${policyVersion}`,
    kind: "PodDisruptionBudget",
    metadata: { name: "nothing" },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "protected" } } },
  });
  const numbers = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
  await client.request({
    method: "PATCH",
    path: `${budgets}/nothing/status`,
    contentType: "application/merge-patch+json",
    body: { status: numbers },
  });
}

/**
 * Runs all steps on a cluster whose scheduler runs. A step that fails does not keep the others from being tried.
 *
 * @param client of an administrator, directly at the server
 * @param policyVersion `v1` or `v1beta1`, whichever the server has
 * @param report called with each result
 */
export async function runScenario(
  client: Client,
  policyVersion: string,
  report: (result: StepResult) => void,
): Promise<readonly StepResult[]> {
  const cluster = clusterObjects(client);
  await setUp(cluster, client, policyVersion);
  const results: StepResult[] = [];
  for (const { name, run } of steps) {
    const result = await run(cluster, client).then(
      () => ({ name, error: undefined }),
      (error: unknown) => ({ name, error: messageOf(error) }),
    );
    results.push(result);
    report(result);
  }
  return results;
}
