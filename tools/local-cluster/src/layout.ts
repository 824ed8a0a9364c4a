import { join } from "node:path";

/** The paths of files and folders in a cluster's data folder. */
export function layout(dataDir: string) {
  const pki = join(dataDir, "pki");
  return {
    dataDir,
    pki,
    stateFile: join(dataDir, "cluster.json"),
    logs: join(dataDir, "logs"),
    logFile: (process: string) => join(dataDir, "logs", `${process}.log`),
    config: join(dataDir, "config"),
    adminConfig: join(dataDir, "admin.orchconfig"),
    clientConfig: (identity: string) => join(dataDir, "config", `${identity}.orchconfig`),
    nodeConfig: (node: string) => join(dataDir, "config", `${node}.yaml`),
    proxyConfig: (node: string) => join(dataDir, "config", `orch-proxy-${node}.yaml`),
    /** Folder of the files that a profile adds; there is one if and only if the cluster was made with the profile. */
    profile: (name: string) => join(dataDir, "config", name),
    profileFile: (name: string, file: string) => join(dataDir, "config", name, file),
    embeddedStore: join(dataDir, "store"),
    etcd: join(dataDir, "etcd"),
    certificate: (name: string) => ({ certFile: join(pki, `${name}.crt`), keyFile: join(pki, `${name}.key`) }),
    node: (node: string) => join(dataDir, "nodes", node),
    nodes: join(dataDir, "nodes"),
    /** Folder of the certificates that the node's agent was issued. */
    agentCertificates: (node: string) => join(dataDir, "nodes", node, "pki"),
    /** Folder of the node's static pods. */
    manifests: (node: string) => join(dataDir, "nodes", node, "manifests"),
    /** Folder of the node's own containerd or process runtime. */
    runtime: (node: string) => join(dataDir, "nodes", node, "runtime"),
  } as const;
}

export type Layout = ReturnType<typeof layout>;
