import { core } from "@orchernetes/api";
import { type Client, createInformer, type Informer } from "@orchernetes/client";
import { type DoubleRunWatcher, watchForDoubleRuns } from "@orchernetes/cri/testing";
import { poll, startCluster, type TestCluster } from "@orchernetes/testkit";
import type { HostState } from "../host/host-state.ts";
import { type NodePlaces, nodePlaces } from "../host/node-places.ts";
import { readHostState } from "../host/read-host-state.ts";
import { churnPod, OBJECT, podKinds } from "../workload/churn-pod.ts";
import { ContainerWatch } from "./container-watch.ts";
import { isFulfilled } from "./fulfilled-pods.ts";

/** Name of the node, and namespace of all pods. */
export const NODE = "node-1";
export const NAMESPACE = "churn";
/** First of the ports of the host that pods get. */
export const FIRST_PORT = 21_000;

/** A cluster with one node on a real containerd, and some pods that stay. */
export interface NodeCluster {
  readonly cluster: TestCluster;
  readonly client: Client;
  readonly places: NodePlaces;
  readonly pods: Informer<core.Pod>;
  readonly containers: ContainerWatch;
  readonly doubles: DoubleRunWatcher;
  /** What the node has on its host while only the pods that stay are there. */
  baseline: HostState;
  stop(): Promise<void>;
}

/** Starts the cluster, and a pod of every kind that runs until it is deleted. */
export async function startNodeCluster(store: "embedded" | "etcd"): Promise<NodeCluster> {
  const cluster = await startCluster({ store, runtime: "containerd" });
  const end = new AbortController();
  const stop = async (): Promise<void> => {
    end.abort();
    await cluster.stop();
  };
  try {
    const client = cluster.client();
    await prepareNamespace(client);
    const containers = new ContainerWatch();
    const pods = createInformer(client, core.pods, { namespace: NAMESPACE });
    pods.addHandler({
      onAdd: (pod) => containers.seen(pod),
      onUpdate: (_, pod) => containers.seen(pod),
      onDelete: ({ metadata }) => containers.forget(metadata.uid),
    });
    void pods.run(end.signal);
    await pods.waitForSync(end.signal);
    await startStayingPods(client, pods);
    const places = nodePlaces(cluster);
    const doubles = watchForDoubleRuns(cluster.nodes);
    return {
      ...{ cluster, client, places, pods, containers, doubles },
      baseline: await readHostState(places),
      async stop() {
        await doubles.stop();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function prepareNamespace(client: Client): Promise<void> {
  await client.resource(core.namespaces).create({ metadata: { name: NAMESPACE } });
  const accounts = client.resource(core.serviceAccounts).namespace(NAMESPACE);
  // Without it pods are refused.
  await poll({ what: "the account of the namespace" }, () => accounts.get("default"));
  const metadata = { name: OBJECT };
  await client
    .resource(core.configMaps)
    .namespace(NAMESPACE)
    .create({ metadata, data: { key: "value" } });
  await client
    .resource(core.secrets)
    .namespace(NAMESPACE)
    .create({ metadata, stringData: { key: "value" } });
}

async function startStayingPods(client: Client, pods: Informer<core.Pod>): Promise<void> {
  // What a pod that has ended has on the host is released later.
  const kinds = podKinds.filter((kind) => kind !== "short");
  const names = kinds.map((kind) => `stays-${kind}`);
  for (const [index, kind] of kinds.entries())
    await client
      .resource(core.pods)
      .namespace(NAMESPACE)
      .create(churnPod(names[index] ?? "", kind, NODE, FIRST_PORT + index));
  await poll({ what: "the pods that stay", timeoutMs: 180_000 }, () =>
    names.every((name) => {
      const pod = pods.lister.get(NAMESPACE, name);
      return pod !== undefined && isFulfilled(pod, false);
    }),
  );
}
