import type { CloudNode, InstanceMetadata } from "../../provider/cloud-provider.ts";
import { UNINITIALIZED_TAINT } from "./cloud-taints.ts";

/** Names of a label: the deprecated one, and that of today. The original writes both. */
const labelPairs = {
  instanceType: ["beta.orchernetes.io/instance-type", "node.orchernetes.io/instance-type"],
  zone: ["failure-domain.beta.orchernetes.io/zone", "topology.orchernetes.io/zone"],
  region: ["failure-domain.beta.orchernetes.io/region", "topology.orchernetes.io/region"],
} as const;

/** The labels of a node for its metadata; none for what is not known. */
function labelsFor(metadata: InstanceMetadata): Readonly<Record<string, string>> {
  const fields = ["instanceType", "zone", "region"] as const;
  return Object.fromEntries(
    fields.flatMap((field) => (metadata[field] === "" ? [] : labelPairs[field].map((name) => [name, metadata[field]]))),
  );
}

/** The node as it is once the cloud has initialized it: with provider ID and labels, and without the taint. Pure. */
export function initializedNode(node: CloudNode, metadata: InstanceMetadata): CloudNode {
  const { spec = {} } = node;
  const labels = labelsFor(metadata);
  const providerID = spec.providerID || metadata.providerID;
  const { taints = [], ...rest } = spec;
  const kept = taints.filter(({ key }) => key !== UNINITIALIZED_TAINT);
  return {
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...labels } },
    spec: {
      ...rest,
      ...(providerID === "" ? {} : { providerID }),
      ...(kept.length === 0 ? {} : { taints: kept }),
    },
  };
}

/** The labels of today that differ from the deprecated ones, which count, with their values; undefined if none do. Pure. */
export function labelFixes({ metadata }: CloudNode): Readonly<Record<string, string>> | undefined {
  const { labels = {} } = metadata;
  const fixes = Object.values(labelPairs).flatMap(([deprecated, current]) => {
    const value = labels[deprecated];
    return value === undefined || value === labels[current] ? [] : [[current, value] as const];
  });
  return fixes.length === 0 ? undefined : Object.fromEntries(fixes);
}
