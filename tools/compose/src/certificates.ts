import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { metricsHost } from "@orchernetes/local-cluster/metrics-objects";
import {
  type CertificateAuthority,
  generatePrivateKey,
  type IssueOptions,
  keepAuthority,
  keepPair,
  type PairPaths,
  privateKeyToPem,
} from "@orchernetes/tls";
import { orchletClient } from "./access.ts";

/** A certificate with its key, in the folder of the only service that uses it. */
interface ServicePair extends Omit<IssueOptions, "usages"> {
  readonly service: string;
  /** Name of its files. */
  readonly name: string;
  /** Which authority signs it. */
  readonly by: "ca" | "orchlet-ca" | "etcd-ca" | "front-proxy-ca";
  readonly use: "server" | "client" | "both";
}

const PAIRS: readonly ServicePair[] = [
  {
    service: "orch-apiserver",
    name: "serving",
    by: "ca",
    use: "server",
    commonName: "orch-apiserver",
    hosts: ["orch-apiserver", "localhost", "127.0.0.1", "orchernetes.default.svc", "10.96.0.1"],
  },
  { service: "orch-apiserver", name: "orchlet-client", by: "ca", use: "client", commonName: orchletClient },
  { service: "orch-apiserver", name: "etcd-client", by: "etcd-ca", use: "client", commonName: "orch-apiserver" },
  {
    service: "orch-apiserver",
    name: "front-proxy-client",
    by: "front-proxy-ca",
    use: "client",
    commonName: "front-proxy-client",
  },
  {
    service: "metrics-server",
    name: "serving",
    by: "ca",
    use: "server",
    commonName: metricsHost,
    hosts: [metricsHost],
  },
  // etcd is a client of its own, behind its gateway.
  { service: "etcd", name: "serving", by: "etcd-ca", use: "both", commonName: "etcd", hosts: ["etcd", "localhost"] },
  {
    service: "node-1",
    name: "serving",
    by: "orchlet-ca",
    use: "server",
    commonName: "system:node:node-1",
    organizations: ["system:nodes"],
    hosts: ["node-1"],
  },
];

/** Certificates of authorities, and the key of service accounts, by the service that needs a copy. */
const COPIES = {
  "orch-apiserver": ["ca.crt", "orchlet-ca.crt", "etcd-ca.crt", "front-proxy-ca.crt", "service-account.key"],
  etcd: ["etcd-ca.crt"],
  "orch-controller-manager": ["ca.crt", "service-account.key"],
  "metrics-server": ["orchlet-ca.crt"],
  "node-1": ["ca.crt"],
} as const;

const usages = {
  server: ["digital signature", "key encipherment", "server auth"],
  client: ["digital signature", "key encipherment", "client auth"],
  both: ["digital signature", "key encipherment", "server auth", "client auth"],
} as const;

/** The authorities of a cluster in containers. */
export type Authorities = Readonly<Record<ServicePair["by"], CertificateAuthority>>;

/** Folder of files that only one service may read. */
export function serviceFolder(dir: string, service: string): string {
  const folder = join(dir, "services", service);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The container engine may have created it, readable by everyone.
  chmodSync(folder, 0o700);
  return folder;
}

/**
 * Creates what is missing: the authorities in `DIR/pki`, which no service gets, and the certificates and keys in the folder of each
 * service. Valid files are kept.
 */
export async function ensureCertificates(dir: string): Promise<Authorities> {
  const pki = join(dir, "pki");
  mkdirSync(pki, { recursive: true, mode: 0o700 });
  const authority = (name: string, commonName: string) => keepAuthority(pairPaths(pki, name), { commonName });
  const authorities = {
    ca: await authority("ca", "orchernetes"),
    "orchlet-ca": await authority("orchlet-ca", "orchernetes-orchlet-ca"),
    "etcd-ca": await authority("etcd-ca", "orchernetes-etcd-ca"),
    "front-proxy-ca": await authority("front-proxy-ca", "front-proxy-ca"),
  };
  const accounts = join(pki, "service-account.key");
  if (!existsSync(accounts))
    writeFileSync(accounts, privateKeyToPem(await generatePrivateKey("ecdsa-p256")), { mode: 0o600 });
  for (const { service, name, by, use, ...wanted } of PAIRS)
    await keepPair(pairPaths(serviceFolder(dir, service), name), authorities[by], { ...wanted, usages: usages[use] });
  for (const [service, names] of Object.entries(COPIES))
    for (const name of names)
      writeFileSync(join(serviceFolder(dir, service), name), readFileSync(join(pki, name)), { mode: 0o600 });
  return authorities;
}

const pairPaths = (folder: string, name: string): PairPaths => ({
  certFile: join(folder, `${name}.crt`),
  keyFile: join(folder, `${name}.key`),
});
