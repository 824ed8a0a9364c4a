import { join } from "node:path";

/** What the state file of a local cluster says about a node. */
export interface NodeOfCluster {
  readonly name: string;
  readonly address?: string;
  readonly bridge: string;
  readonly podCidr: string;
  readonly endpoint: string;
}

/** Fields of the local cluster's configuration that level 1.20 has as well. */
const SHARED = [
  "address",
  "port",
  "healthzPort",
  "tlsCertFile",
  "tlsPrivateKeyFile",
  "authentication",
  "authorization",
  "cgroupRoot",
  "failSwapOn",
  "evictionHard",
  "imageGCHighThresholdPercent",
  "imageGCLowThresholdPercent",
  "clusterDNS",
  "clusterDomain",
];

/** The fields of the configuration that are used here. */
export interface ReferenceConfig {
  /** Control group of all of the node's pods. */
  readonly cgroupRoot: string;
  readonly staticPodPath: string;
}

/**
 * The configuration file of the suite's node agent.
 *
 * @param own - that of this project's agent in the same place
 * @param folder - for its files
 */
export function referenceConfig(own: Readonly<Record<string, unknown>>, folder: string): ReferenceConfig {
  const shared = Object.fromEntries(SHARED.flatMap((name) => (name in own ? [[name, own[name]]] : [])));
  return {
    apiVersion: "orchlet.config.o8s.io/v1beta1",
    // The kinds of the suite's own configuration files are names of its source's types, which were not renamed.
    kind: "KubeletConfiguration",
    cgroupRoot: "/",
    ...shared,
    staticPodPath: join(folder, "manifests"),
    // Its certificate comes from the cluster, as that of any node that joins.
    rotateCertificates: true,
    cgroupDriver: "cgroupfs",
    // Several agents on a host would share these.
    makeIPTablesUtilChains: false,
    featureGates: { DevicePlugins: false },
  } as ReferenceConfig;
}

/** The flags of the suite's node agent: what its level has no field for. */
export function referenceFlags(node: NodeOfCluster, folder: string): readonly string[] {
  return [
    `--config=${join(folder, "config.json")}`,
    `--orchconfig=${join(folder, "node.orchconfig")}`,
    `--bootstrap-orchconfig=${join(folder, "bootstrap.orchconfig")}`,
    `--cert-dir=${join(folder, "pki")}`,
    `--root-dir=${join(folder, "root")}`,
    `--volume-plugin-dir=${join(folder, "volume-plugins")}`,
    `--hostname-override=${node.name}`,
    `--node-ip=${node.address ?? "127.0.0.1"}`,
    // It speaks CRI v1alpha2, which containerd serves beside v1 until its version 1.7.
    "--container-runtime=remote",
    `--container-runtime-endpoint=${node.endpoint}`,
    "--v=2",
  ];
}
