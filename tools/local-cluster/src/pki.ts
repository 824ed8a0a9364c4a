import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import {
  type CertificateAuthority,
  type CertificatePair,
  createCertificateAuthority,
  generatePrivateKey,
  issueClientCertificate,
  issueServerCertificate,
  loadCertificateAuthority,
  privateKeyToPem,
} from "@orchernetes/tls";
import type { Layout } from "./layout.ts";

/** Who a daemon is to the API server. */
interface Identity {
  readonly name: string;
  readonly commonName: string;
  readonly organizations: readonly string[];
}

const IDENTITIES: readonly Identity[] = [
  { name: "admin", commonName: "orchernetes-admin", organizations: ["system:masters"] },
  { name: "orch-controller-manager", commonName: "system:orch-controller-manager", organizations: [] },
  { name: "orch-scheduler", commonName: "system:orch-scheduler", organizations: [] },
  { name: "apiserver-orchlet-client", commonName: "orch-apiserver-orchlet-client", organizations: ["system:masters"] },
];

const nodeIdentity = (node: string): Identity => ({
  name: node,
  commonName: `system:node:${node}`,
  organizations: ["system:nodes"],
});

function save(files: { readonly certFile: string; readonly keyFile: string }, pair: CertificatePair): void {
  writeFileSync(files.certFile, pair.certPem, { mode: 0o644 });
  writeFileSync(files.keyFile, pair.keyPem, { mode: 0o600 });
}

/** Addresses under which this machine's API server may be called. */
function serverHosts(serviceIp: string): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address.split("%")[0] ?? address),
  );
  return [
    ...new Set([
      "localhost",
      "127.0.0.1",
      "::1",
      hostname(),
      "orchernetes",
      "orchernetes.default",
      "orchernetes.default.svc",
      "orchernetes.default.svc.cluster.local",
      serviceIp,
      ...addresses,
    ]),
  ];
}

/**
 * Makes what is missing of the cluster's certificates: an authority, a serving and a client pair per component identity,
 * and the key that signs service account tokens. What exists is kept.
 */
export async function ensurePki(files: Layout, nodes: readonly string[], serviceIp: string): Promise<void> {
  mkdirSync(files.pki, { recursive: true, mode: 0o700 });
  const authority = await ensureAuthority(files);
  const serving = async (name: string, hosts: readonly string[]) => {
    const at = files.certificate(name);
    if (!existsSync(at.certFile)) save(at, await issueServerCertificate(authority, { commonName: name, hosts }));
  };
  await serving("apiserver", serverHosts(serviceIp));
  for (const name of daemonIdentities) await serving(`${name}-serving`, ["localhost", "127.0.0.1"]);
  for (const node of nodes) await serving(`${node}-serving`, [node, "localhost", "127.0.0.1"]);
  for (const { name, commonName, organizations } of [...IDENTITIES, ...nodes.map(nodeIdentity)]) {
    const at = files.certificate(name);
    if (!existsSync(at.certFile)) save(at, await issueClientCertificate(authority, { commonName, organizations }));
  }
  const { keyFile } = files.certificate("service-account");
  if (!existsSync(keyFile))
    writeFileSync(keyFile, privateKeyToPem(await generatePrivateKey("ecdsa-p256")), { mode: 0o600 });
}

async function ensureAuthority(files: Layout): Promise<CertificateAuthority> {
  const at = files.certificate("ca");
  if (existsSync(at.certFile)) {
    const pems = { certPem: readFileSync(at.certFile, "utf8"), keyPem: readFileSync(at.keyFile, "utf8") };
    return loadCertificateAuthority(pems, at.certFile);
  }
  const authority = await createCertificateAuthority({ commonName: "orchernetes" });
  save(at, authority);
  return authority;
}

/** Writes a client configuration whose credentials stand in the file itself. */
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
  // JSON is YAML: no client minds.
  writeFileSync(target, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
}

/** The client identities of the daemons; nodes have their own. */
export const daemonIdentities = ["orch-controller-manager", "orch-scheduler"] as const;
