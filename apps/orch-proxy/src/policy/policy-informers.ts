import { core, networking } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { type Client, createInformer, type Informer } from "@orchernetes/client";
import type { Logger } from "@orchernetes/kernel";

/** What policies depend on. */
export interface PolicyInformers {
  readonly policies: Informer<networking.NetworkPolicy>;
  /** Pods that have not ended, of all nodes: they may be peers. */
  readonly pods: Informer<core.Pod>;
  readonly namespaces: Informer<core.Namespace>;
}

/** Creates the informers; none runs. */
export function policyInformers(client: Client, logger: Logger): PolicyInformers {
  return {
    policies: createInformer<networking.NetworkPolicy>(client, networking.networkPolicies, { logger }),
    pods: createInformer<core.Pod>(client, core.pods, {
      logger,
      fieldSelector: "status.phase!=Succeeded,status.phase!=Failed",
      transform: slimPod,
    }),
    namespaces: createInformer<core.Namespace>(client, core.namespaces, { logger }),
  };
}

/** The fields that policies look at: the daemon keeps every pod of the cluster in memory. */
function slimPod({ apiVersion, kind, metadata, spec, status }: Stored<core.Pod>): Stored<core.Pod> {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      uid,
      resourceVersion,
      creationTimestamp,
      ...(namespace !== undefined && { namespace }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(labels !== undefined && { labels }),
    },
    spec: {
      ...(spec.nodeName !== undefined && { nodeName: spec.nodeName }),
      ...(spec.hostNetwork !== undefined && { hostNetwork: spec.hostNetwork }),
      containers: spec.containers.flatMap(({ name: container, ports }) =>
        ports === undefined ? [] : [{ name: container, resources: {}, ports }],
      ),
    },
    status: {
      ...(status?.phase !== undefined && { phase: status.phase }),
      ...(status?.podIP !== undefined && { podIP: status.podIP }),
      ...(status?.podIPs !== undefined && { podIPs: status.podIPs }),
    },
  };
}
