import { BOOTSTRAP_CLIENT } from "./join-token.ts";
import type { Layout } from "./layout.ts";
import { FRONT_PROXY_CLIENT, PROXY_CLIENT } from "./pki.ts";
import type { Profile } from "./profile.ts";
import { defaultProfile } from "./profiles/default.ts";
import { fromSource, type Programs } from "./programs.ts";
import { addressOf, type ClusterState, isLoopback, type MetricsServerState, type NodeState } from "./state.ts";

/** Network of the cluster's services. */
export const SERVICE_CIDR = "10.96.0.0/16";
/** The first address of it: the API server's own service. */
export const SERVICE_IP = "10.96.0.1";

const withFlags = (
  command: readonly string[],
  flags: Readonly<Record<string, string | number | boolean>>,
): readonly string[] => [...command, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)];

export function etcdCommand(files: Layout, state: ClusterState): readonly string[] {
  const client = `https://127.0.0.1:${state.etcdPort}`;
  const peer = `https://127.0.0.1:${state.etcdPeerPort}`;
  const { certFile: authority } = files.certificate("etcd-ca");
  const server = files.certificate("etcd-server");
  const toPeers = files.certificate("etcd-peer");
  return [
    "etcd",
    "--name=local",
    `--data-dir=${files.etcd}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=local=${peer}`,
    `--cert-file=${server.certFile}`,
    `--key-file=${server.keyFile}`,
    `--trusted-ca-file=${authority}`,
    "--client-cert-auth",
    `--peer-cert-file=${toPeers.certFile}`,
    `--peer-key-file=${toPeers.keyFile}`,
    `--peer-trusted-ca-file=${authority}`,
    "--peer-client-cert-auth",
    "--logger=zap",
  ];
}

export function apiserverCommand(
  files: Layout,
  state: ClusterState,
  programs: Programs = fromSource,
  profile: Profile = defaultProfile,
): readonly string[] {
  const serving = files.certificate("apiserver");
  const ca = files.certificate("ca");
  const toNodes = files.certificate("apiserver-orchlet-client");
  const toStore = files.certificate("apiserver-etcd-client");
  const accounts = files.certificate("service-account");
  const toExtensions = files.certificate(FRONT_PROXY_CLIENT);
  return withFlags(programs("orch-apiserver"), {
    "bind-address": "127.0.0.1",
    "secure-port": state.port,
    "tls-cert-file": serving.certFile,
    "tls-private-key-file": serving.keyFile,
    "client-ca-file": ca.certFile,
    "authorization-mode": "Node,RBAC",
    "enable-admission-plugins": "NodeRestriction",
    "service-account-issuer": "https://orchernetes.default.svc",
    "service-account-signing-key-file": accounts.keyFile,
    "service-account-key-file": accounts.keyFile,
    "service-cluster-ip-range": SERVICE_CIDR,
    // Webhooks and extension API servers are called at the addresses of their pods: without nftables the host has no route to those of
    // services.
    // Where all addresses are loopback ones there are no endpoints either, and services are called by their external names.
    "enable-aggregator-routing": !state.nodes.some((node) => isLoopback(addressOf(node))),
    "proxy-client-cert-file": toExtensions.certFile,
    "proxy-client-key-file": toExtensions.keyFile,
    "requestheader-client-ca-file": files.certificate("front-proxy-ca").certFile,
    "requestheader-allowed-names": FRONT_PROXY_CLIENT,
    "requestheader-username-headers": "X-Remote-User",
    "requestheader-group-headers": "X-Remote-Group",
    "requestheader-extra-headers-prefix": "X-Remote-Extra-",
    // The nodes' names are not in any DNS.
    "orchlet-preferred-address-types": "InternalIP,Hostname",
    "orchlet-certificate-authority": files.certificate("orchlet-ca").certFile,
    "orchlet-client-certificate": toNodes.certFile,
    "orchlet-client-key": toNodes.keyFile,
    "allow-privileged": true,
    ...(state.store === "embedded"
      ? { "storage-backend": "embedded", "embedded-store-path": files.embeddedStore }
      : {
          "storage-backend": "etcd3",
          "etcd-servers": `https://127.0.0.1:${state.etcdPort}`,
          "etcd-cafile": files.certificate("etcd-ca").certFile,
          "etcd-certfile": toStore.certFile,
          "etcd-keyfile": toStore.keyFile,
        }),
    ...profile.flags("orch-apiserver", files),
  });
}

function controlPlaneFlags(
  files: Layout,
  name: string,
  port: number,
): Readonly<Record<string, string | number | boolean>> {
  const serving = files.certificate(`${name}-serving`);
  const config = files.clientConfig(name);
  return {
    orchconfig: config,
    "authentication-orchconfig": config,
    "authorization-orchconfig": config,
    "bind-address": "127.0.0.1",
    "secure-port": port,
    "client-ca-file": files.certificate("ca").certFile,
    "tls-cert-file": serving.certFile,
    "tls-private-key-file": serving.keyFile,
    // There is one replica of each: leader election would only stop it when this machine is too busy to renew the lease in time.
    "leader-elect": false,
  };
}

export function schedulerCommand(
  files: Layout,
  state: ClusterState,
  programs: Programs = fromSource,
  profile: Profile = defaultProfile,
): readonly string[] {
  return withFlags(programs("orch-scheduler"), {
    ...controlPlaneFlags(files, "orch-scheduler", state.schedulerPort),
    ...profile.flags("orch-scheduler", files),
  });
}

export function controllerManagerCommand(
  files: Layout,
  state: ClusterState,
  programs: Programs = fromSource,
  profile: Profile = defaultProfile,
): readonly string[] {
  return withFlags(programs("orch-controller-manager"), {
    ...controlPlaneFlags(files, "orch-controller-manager", state.controllerManagerPort),
    "use-service-account-credentials": true,
    // Services of type LoadBalancer get the nodes' addresses. This manager gives them: a daemon of their own would cost 90 MB.
    "cloud-provider": "local",
    "root-ca-file": files.certificate("ca").certFile,
    "service-account-private-key-file": files.certificate("service-account").keyFile,
    ...profile.flags("orch-controller-manager", files),
  });
}

/** Interval between two readings of the nodes' counters: that of the manifests of the original metrics server. */
const METRIC_RESOLUTION = "15s";

export function metricsServerCommand(
  files: Layout,
  { address, port }: MetricsServerState,
  programs: Programs = fromSource,
  profile: Profile = defaultProfile,
): readonly string[] {
  const { "leader-elect": _, ...flags } = controlPlaneFlags(files, "metrics-server", port);
  return withFlags(programs("metrics-server"), {
    ...flags,
    // The API server must be able to reach it at an address that endpoints may have.
    "bind-address": address,
    "metric-resolution": METRIC_RESOLUTION,
    "orchlet-certificate-authority": files.certificate("orchlet-ca").certFile,
    // The nodes' names are not in any DNS, and each node has a port of its own.
    "orchlet-preferred-address-types": "InternalIP,Hostname",
    "orchlet-use-node-status-port": true,
    ...profile.flags("metrics-server", files),
  });
}

export function orchletCommand(
  files: Layout,
  node: NodeState,
  programs: Programs = fromSource,
  profile: Profile = defaultProfile,
): readonly string[] {
  return withFlags(programs("orchlet"), {
    config: files.nodeConfig(node.name),
    orchconfig: files.clientConfig(node.name),
    "hostname-override": node.name,
    "node-ip": addressOf(node),
    "root-dir": files.node(node.name),
    "cert-dir": files.agentCertificates(node.name),
    ...(profile.pki.joinsNodes && { "bootstrap-orchconfig": files.clientConfig(BOOTSTRAP_CLIENT) }),
  });
}

export function proxyCommand(files: Layout, node: NodeState, programs: Programs = fromSource): readonly string[] {
  return withFlags(programs("orch-proxy"), {
    config: files.proxyConfig(node.name),
    orchconfig: files.clientConfig(PROXY_CLIENT),
    "hostname-override": node.name,
  });
}

/** Control group below which the node's pods live. */
export const cgroupRoot = (node: NodeState): string => `orchernetes-${node.bridge}`;

/** The node agent's configuration file. */
export function orchletConfig(files: Layout, node: NodeState, profile: Profile = defaultProfile): object {
  const serving = files.certificate(`${node.name}-serving`);
  return {
    apiVersion: "orchlet.config.o8s.io/v1beta1",
    kind: "OrchletConfiguration",
    address: addressOf(node),
    port: node.port,
    healthzPort: node.healthzPort,
    containerRuntimeEndpoint: node.endpoint,
    // Only nodes with one are behind load balancers, and no cloud controller gives it to them.
    providerID: `local://${node.name}`,
    tlsCertFile: serving.certFile,
    tlsPrivateKeyFile: serving.keyFile,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: files.certificate("ca").certFile },
    },
    authorization: { mode: "Webhook" },
    cgroupRoot: `/${cgroupRoot(node)}`,
    staticPodPath: files.manifests(node.name),
    failSwapOn: false,
    // Lower than the defaults: the disk of a developer's machine is often nearly full, and pods would be evicted at once.
    evictionHard: { "memory.available": "100Mi", "nodefs.available": "2%", "imagefs.available": "2%" },
    imageGCHighThresholdPercent: 99,
    imageGCLowThresholdPercent: 98,
    ...profile.agentFields(),
  };
}
