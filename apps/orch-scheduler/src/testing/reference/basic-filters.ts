import type { core } from "@orchernetes/api";
import { argumentsOf } from "./model-arguments.ts";
import { type ModelCluster, type ModelFilter, type Node, type Pod, podsOn } from "./reference-cluster.ts";
import {
  amount,
  matchesNodeAffinity,
  namedNodes,
  requestOf,
  termMatches,
  tolerates,
  untolerated,
} from "./selectors.ts";

const nodeUnschedulable: ModelFilter = {
  plugin: "NodeUnschedulable",
  refuses: ({ spec }, node) =>
    node.spec.unschedulable &&
    !tolerates(spec.tolerations, { key: "node.orchernetes.io/unschedulable", effect: "NoSchedule" })
      ? ["node(s) were unschedulable"]
      : [],
};

const nodeName: ModelFilter = {
  plugin: "NodeName",
  refuses: ({ spec: { nodeName } }, { metadata }) =>
    nodeName && nodeName !== metadata.name ? ["node(s) didn't match the requested node name"] : [],
};

const taintToleration: ModelFilter = {
  plugin: "TaintToleration",
  refuses({ spec }, node) {
    const taint = untolerated(spec, node);
    return taint === undefined ? [] : [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`];
  },
};

const nodeAffinity: ModelFilter = {
  plugin: "NodeAffinity",
  rejects: ({ spec }) => (namedNodes(spec)?.length === 0 ? "pod affinity terms conflict" : undefined),
  refuses({ spec }, node, cluster) {
    const enforced = argumentsOf(cluster, "NodeAffinity").addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    if (enforced !== undefined && !enforced.nodeSelectorTerms.some((term) => termMatches(term, node)))
      return ["node(s) didn't match scheduler-enforced node affinity"];
    return matchesNodeAffinity(spec, node) ? [] : ["node(s) didn't match Pod's node affinity/selector"];
  },
};

const hostPorts = ({ spec }: Pod): readonly core.ContainerPort[] =>
  spec.containers.flatMap(({ ports = [] }) => ports.filter(({ hostPort }) => hostPort));

function portsConflict(a: core.ContainerPort, b: core.ContainerPort): boolean {
  const [x, y] = [a.hostIP || "0.0.0.0", b.hostIP || "0.0.0.0"];
  if (a.hostPort !== b.hostPort || (a.protocol ?? "TCP") !== (b.protocol ?? "TCP")) return false;
  return x === y || x === "0.0.0.0" || y === "0.0.0.0";
}

const nodePorts: ModelFilter = {
  plugin: "NodePorts",
  refuses: (pod, { metadata }, cluster) =>
    hostPorts(pod).some((port) =>
      podsOn(cluster, metadata.name).some((other) => hostPorts(other).some((taken) => portsConflict(port, taken))),
    )
      ? ["node(s) didn't have free ports for the requested pod ports"]
      : [],
};

function resourcesOf(pod: Pod): readonly string[] {
  const { containers, initContainers = [], overhead = {} } = pod.spec;
  const named = [...containers, ...initContainers].flatMap(({ resources }) => Object.keys(resources.requests ?? {}));
  return [...new Set([...named, ...Object.keys(overhead)])];
}

const free = (resource: string, node: Node, cluster: ModelCluster): number =>
  amount(resource, node.status.allocatable?.[resource]) -
  podsOn(cluster, node.metadata.name).reduce((sum, { spec }) => sum + requestOf(spec, resource), 0);

const nodeResourcesFit: ModelFilter = {
  plugin: "NodeResourcesFit",
  refuses(pod, node, cluster) {
    const room = amount("pods", node.status.allocatable?.pods) - podsOn(cluster, node.metadata.name).length;
    const { ignoredResources, ignoredResourceGroups } = argumentsOf(cluster, "NodeResourcesFit");
    const lacking = resourcesOf(pod).filter((resource) => {
      const wanted = requestOf(pod.spec, resource);
      const [group = "", name] = resource.split("/");
      const isIgnored =
        name !== undefined &&
        !resource.includes("orchernetes.io/") &&
        (ignoredResources.includes(resource) || ignoredResourceGroups.includes(group));
      return !isIgnored && wanted > 0 && wanted > free(resource, node, cluster);
    });
    return [...(room < 1 ? ["Too many pods"] : []), ...lacking.map((resource) => `Insufficient ${resource}`)];
  },
};

export const basicFilters: readonly ModelFilter[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
];
