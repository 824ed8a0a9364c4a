import type { CriClient } from "@orchernetes/cri";
import { containerNameLabel, podNameLabel, podNamespaceLabel, podUidLabel } from "../../runtime/labels.ts";

/**
 * The response of `/runningpods/`: the pods that run in the runtime, also those that the agent does not want, each with its name, uid
 * and running containers.
 *
 * @throws CriError
 */
export async function runningPodList(cri: Pick<CriClient, "runtime">): Promise<object> {
  const [{ items }, { containers }] = await Promise.all([
    cri.runtime.listPodSandbox({ filter: { state: { state: "SANDBOX_READY" } } }),
    cri.runtime.listContainers({ filter: { state: { state: "CONTAINER_RUNNING" } } }),
  ]);
  const pods = new Map<string, { metadata: object; containers: object[] }>();
  const podOf = (labels: Readonly<Record<string, string>>) => {
    const uid = labels[podUidLabel];
    if (uid === undefined) return undefined;
    const metadata = { name: labels[podNameLabel] ?? "", namespace: labels[podNamespaceLabel] ?? "", uid };
    const pod = pods.get(uid) ?? { metadata: { ...metadata, creationTimestamp: null }, containers: [] };
    pods.set(uid, pod);
    return pod;
  };
  for (const { labels } of items) podOf(labels);
  for (const { labels, image, metadata } of containers)
    podOf(labels)?.containers.push({
      name: labels[containerNameLabel] ?? metadata?.name ?? "",
      image: image?.image ?? "",
      resources: {},
    });
  return {
    kind: "PodList",
    apiVersion: "v1",
    metadata: {},
    items: [...pods.values()].map((pod) => ({
      metadata: pod.metadata,
      spec: { containers: pod.containers },
      status: {},
    })),
  };
}
