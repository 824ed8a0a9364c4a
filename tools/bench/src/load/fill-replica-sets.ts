import { randomUUID } from "node:crypto";
import { openEtcdStore } from "@orchernetes/storage";
import type { TestApiServer } from "@orchernetes/testkit";
import { NAMESPACE } from "./objects.ts";

/** By default etcd accepts at most 128 operations in one transaction. */
const PODS_PER_COMMIT = 100;

/** How many ReplicaSets, and what their pods run on. */
export interface ReplicaSetsPlan {
  readonly sets: number;
  readonly podsPerSet: number;
  /** Names of nodes; pods are bound to them in turn. */
  readonly nodes: readonly string[];
}

/** The parts of a stored pod that a copy changes. */
interface StoredPod {
  readonly metadata: { readonly generateName?: string; readonly [field: string]: unknown };
  readonly spec: object;
}

/**
 * Creates ReplicaSets with all their pods, which run and are ready. One pod of each set is created by a request; the others are copies
 * of it that are written directly to etcd, which is much faster. To the server these are writes of another server.
 */
export async function fillReplicaSets(server: TestApiServer, plan: ReplicaSetsPlan): Promise<void> {
  if (server.etcd === undefined) throw new Error("pods can be copied in etcd only");
  const { sets, podsPerSet, nodes } = plan;
  const client = server.client();
  const store = await openEtcdStore({ servers: [server.etcd.url] });
  let made = 0;
  const createSet = async (index: number): Promise<void> => {
    const name = `set-${index}`;
    const path = `/apis/apps/v1/namespaces/${NAMESPACE}/replicasets`;
    const set = (await client.request({ method: "POST", path, body: replicaSet(name, podsPerSet) })) as Created;
    const counts = { replicas: podsPerSet, fullyLabeledReplicas: podsPerSet, observedGeneration: 1 };
    const status = { ...counts, readyReplicas: podsPerSet, availableReplicas: podsPerSet };
    await client.request({ method: "PUT", path: `${path}/${name}/status`, body: { ...set, status } });
    const pods = `/api/v1/namespaces/${NAMESPACE}/pods`;
    const body = { apiVersion: "v1", kind: "Pod", ...modelPod(name, set.metadata.uid) };
    const model = (await client.request({ method: "POST", path: pods, body })) as Created;
    const folder = `/registry/pods/${NAMESPACE}/`;
    const found = await store.get(`${folder}${model.metadata.name}`);
    if (found === undefined) throw new Error(`pod ${model.metadata.name} is not in etcd`);
    const stored = JSON.parse(found.value.toString()) as StoredPod;
    for (let from = 0; from < podsPerSet; from += PODS_PER_COMMIT) {
      const puts = Array.from({ length: Math.min(PODS_PER_COMMIT, podsPerSet - from) }, (_, offset) => {
        const number = made++;
        // The first one replaces the model, so that all run.
        const copyName = from + offset === 0 ? model.metadata.name : `${name}-${from + offset}`;
        const node = nodes[number % nodes.length] ?? "";
        const copy = runningPod(stored, { name: copyName, node, number });
        return { type: "put", key: `${folder}${copyName}`, value: Buffer.from(JSON.stringify(copy)) } as const;
      });
      await store.commit([], puts);
    }
  };
  try {
    for (let index = 0; index < sets; index++) await createSet(index);
  } finally {
    await store.close();
  }
}

interface Created {
  readonly metadata: { readonly name: string; readonly uid: string };
}

const container = {
  name: "c",
  image: "localhost/busybox:1",
  resources: { requests: { cpu: "100m", memory: "64Mi" } },
  ports: [{ containerPort: 8080 }],
};

const replicaSet = (name: string, replicas: number): object => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { automountServiceAccountToken: false, containers: [container] },
    },
  },
});

const modelPod = (set: string, uid: string): object => ({
  metadata: {
    generateName: `${set}-`,
    labels: { app: set },
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: set, uid, controller: true, blockOwnerDeletion: true },
    ],
  },
  spec: { automountServiceAccountToken: false, containers: [container] },
});

/** A copy of a stored pod that runs on a node. */
function runningPod(
  { metadata, spec, ...rest }: StoredPod,
  { name, node, number }: { readonly name: string; readonly node: string; readonly number: number },
): object {
  const since = "2026-01-01T00:00:00Z";
  const podIP = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  return {
    ...rest,
    metadata: { ...metadata, name, uid: randomUUID() },
    spec: { ...spec, nodeName: node },
    status: {
      phase: "Running",
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
        type,
        status: "True",
        lastProbeTime: null,
        lastTransitionTime: since,
      })),
      hostIP: "192.0.2.1",
      podIP,
      podIPs: [{ ip: podIP }],
      startTime: since,
      qosClass: "Burstable",
    },
  };
}
