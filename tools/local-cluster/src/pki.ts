import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import {
  generatePrivateKey,
  type IssueOptions,
  keepAuthority,
  keepPair,
  type PairPaths,
  privateKeyToPem,
} from "@orchernetes/tls";
import type { Layout } from "./layout.ts";
import { metricsHost, metricsUser } from "./metrics-objects.ts";
import { orchletClient } from "./orchlet-client-binding.ts";
import type { PkiVariant } from "./profile.ts";

/** Name of the certificate and the client configuration that the proxies of all nodes share. */
export const PROXY_CLIENT = "orch-proxy";

/** The user name and groups of a daemon, as its client certificate has them. */
interface Identity {
  readonly name: string;
  readonly commonName: string;
  readonly organizations: readonly string[];
}

const DAEMONS: readonly Identity[] = [
  { name: "orch-controller-manager", commonName: "system:orch-controller-manager", organizations: [] },
  { name: "orch-scheduler", commonName: "system:orch-scheduler", organizations: [] },
  { name: "metrics-server", commonName: metricsUser, organizations: [] },
  { name: PROXY_CLIENT, commonName: "system:orch-proxy", organizations: [] },
  { name: "apiserver-orchlet-client", commonName: orchletClient, organizations: [] },
];

const nodeIdentity = (node: string): Identity => ({
  name: node,
  commonName: `system:node:${node}`,
  organizations: ["system:nodes"],
});

/** Names under which this machine's API server, which listens on loopback alone, is called. */
const serverHosts = (serviceIp: string): readonly string[] => [
  "localhost",
  "127.0.0.1",
  "::1",
  hostname(),
  "orchernetes",
  "orchernetes.default",
  "orchernetes.default.svc",
  "orchernetes.default.svc.cluster.local",
  serviceIp,
];

const local = ["localhost", "127.0.0.1"];
const serverUsages = ["digital signature", "key encipherment", "server auth"] as const;
const clientUsages = ["digital signature", "key encipherment", "client auth"] as const;

/** Name of the API server to extension API servers, and of the files of its certificate. */
export const FRONT_PROXY_CLIENT = "front-proxy-client";

/** The servers and clients for which certificates are made. */
export interface PkiOptions {
  readonly nodes: readonly { readonly name: string; readonly address: string }[];
  readonly serviceIp: string;
  /** Whether the store is an etcd. */
  readonly etcd: boolean;
  readonly variant: PkiVariant;
}

/**
 * Creates missing certificates of the cluster, and replaces invalid ones: a serving and a client pair for
 * each component, and the key that signs service account tokens.
 *
 * There are four authorities. `ca` signs all clients of the API server and of the daemons, and what the central daemons serve.
 * What nodes serve is signed by `orchlet-ca`, so that no other server on this machine can impersonate a node. etcd accepts only
 * certificates of `etcd-ca`, whose one client is the API server. `front-proxy-ca` has signed only the certificate that the API server
 * presents to extension API servers: they take users' names from the headers of whoever has a certificate of this authority.
 */
export async function ensurePki(files: Layout, options: PkiOptions): Promise<void> {
  const { nodes, serviceIp, variant } = options;
  mkdirSync(files.pki, { recursive: true, mode: 0o700 });
  const ca = await keepAuthority(files.certificate("ca"), { commonName: "orchernetes" });
  const orchletCa = await keepAuthority(files.certificate("orchlet-ca"), { commonName: "orchernetes-orchlet-ca" });
  const keep = (name: string, by: typeof ca, wanted: IssueOptions) => keepPair(files.certificate(name), by, wanted);
  await keep("apiserver", ca, { commonName: "apiserver", hosts: serverHosts(serviceIp), usages: serverUsages });
  // The metrics server listens at the address of a node.
  const ofMetrics = [...new Set([...local, metricsHost, ...nodes.map(({ address }) => address)])];
  for (const name of daemonIdentities) {
    const hosts = name === "metrics-server" ? ofMetrics : local;
    await keep(`${name}-serving`, ca, { commonName: `${name}-serving`, hosts, usages: serverUsages });
  }
  for (const { name, address } of variant.servesNodes ? nodes : []) {
    const { commonName, organizations } = nodeIdentity(name);
    const hosts = [name, address];
    await keep(`${name}-serving`, orchletCa, { commonName, organizations, hosts, usages: serverUsages });
  }
  const admin: Identity = {
    name: "admin",
    commonName: "orchernetes-admin",
    organizations: variant.adminOrganizations,
  };
  const issued = variant.joinsNodes ? [] : nodes.map(({ name }) => nodeIdentity(name));
  const clients = [admin, ...DAEMONS, ...variant.clients, ...issued];
  for (const { name, commonName, organizations } of clients)
    await keep(name, ca, { commonName, organizations, usages: clientUsages });
  const frontProxyCa = await keepAuthority(files.certificate("front-proxy-ca"), { commonName: "front-proxy-ca" });
  await keep(FRONT_PROXY_CLIENT, frontProxyCa, { commonName: FRONT_PROXY_CLIENT, usages: clientUsages });
  if (options.etcd) await ensureEtcdPki(files);
  await ensureAccountKey(files.certificate("service-account"));
}

async function ensureEtcdPki(files: Layout): Promise<void> {
  const etcdCa = await keepAuthority(files.certificate("etcd-ca"), { commonName: "orchernetes-etcd-ca" });
  // etcd is a client of its own, too: of its peers, and behind its gateway.
  const usages = [...serverUsages, "client auth"] as const;
  for (const name of ["etcd-server", "etcd-peer"])
    await keepPair(files.certificate(name), etcdCa, { commonName: name, hosts: local, usages });
  const client = files.certificate("apiserver-etcd-client");
  await keepPair(client, etcdCa, { commonName: "orch-apiserver-etcd-client", usages: clientUsages });
}

async function ensureAccountKey({ keyFile }: PairPaths): Promise<void> {
  if (existsSync(keyFile)) return;
  writeFileSync(keyFile, privateKeyToPem(await generatePrivateKey("ecdsa-p256")), { mode: 0o600 });
}
/** Writes a client configuration that contains its credentials, so that it can be copied as one file. */
export function writeClientConfig(files: Layout, target: string, identity: string, server: string): void {
  const base64 = (file: string) => readFileSync(file).toString("base64");
  const { certFile, keyFile } = files.certificate(identity);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "local", cluster: { server, "certificate-authority-data": base64(files.certificate("ca").certFile) } },
    ],
    users: [
      { name: identity, user: { "client-certificate-data": base64(certFile), "client-key-data": base64(keyFile) } },
    ],
    contexts: [{ name: "local", context: { cluster: "local", user: identity } }],
    "current-context": "local",
  };
  // JSON is valid YAML, which all clients read.
  writeFileSync(target, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
}

/** The client identities of the daemons; nodes have their own. */
export const daemonIdentities = ["orch-controller-manager", "orch-scheduler", "metrics-server"] as const;
