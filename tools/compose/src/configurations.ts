import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { metricsUser } from "@orchernetes/local-cluster/metrics-objects";
import { type CertificateAuthority, issueClientCertificate } from "@orchernetes/tls";
import { serviceFolder } from "./certificates.ts";

const inNetwork = "https://orch-apiserver:6443";
const admin = { commonName: "orchernetes-admin", organizations: ["system:masters"] };

/** User name and groups of each service at the API server. */
const CLIENTS = {
  access: { file: "admin.orchconfig", ...admin },
  "orch-scheduler": { file: "client.orchconfig", commonName: "system:orch-scheduler", organizations: [] },
  "orch-controller-manager": {
    file: "client.orchconfig",
    commonName: "system:orch-controller-manager",
    organizations: [],
  },
  "metrics-server": { file: "client.orchconfig", commonName: metricsUser, organizations: [] },
  "orch-proxy": { file: "client.orchconfig", commonName: "system:orch-proxy", organizations: [] },
  "node-1": { file: "client.orchconfig", commonName: "system:node:node-1", organizations: ["system:nodes"] },
} as const;

/** Where a service finds its files. */
const mounted = "/etc/orchernetes";

// JSON is valid YAML.
const write = (file: string, content: object): void =>
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });

async function clientConfig(
  ca: CertificateAuthority,
  server: string,
  { commonName, organizations }: { readonly commonName: string; readonly organizations: readonly string[] },
): Promise<object> {
  const { certPem, keyPem } = await issueClientCertificate(ca, { commonName, organizations });
  const base64 = (pem: string): string => Buffer.from(pem).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "compose", cluster: { server, "certificate-authority-data": base64(ca.certPem) } }],
    users: [
      {
        name: commonName,
        user: { "client-certificate-data": base64(certPem), "client-key-data": base64(keyPem) },
      },
    ],
    contexts: [{ name: "compose", context: { cluster: "compose", user: commonName } }],
    "current-context": "compose",
  };
}

/**
 * Writes a client configuration with a certificate of its own into the folder of every service that calls the API server, one for
 * the user of this machine, who calls the published port, and the configuration file of the node's agent.
 */
export async function writeConfigurations(dir: string, ca: CertificateAuthority): Promise<void> {
  write(join(dir, "admin.orchconfig"), await clientConfig(ca, "https://127.0.0.1:6443", admin));
  for (const [service, { file, ...identity }] of Object.entries(CLIENTS))
    write(join(serviceFolder(dir, service), file), await clientConfig(ca, inNetwork, identity));
  const node = serviceFolder(dir, "node-1");
  mkdirSync(join(node, "manifests"), { recursive: true, mode: 0o700 });
  write(join(node, "orchlet.yaml"), {
    apiVersion: "orchlet.config.o8s.io/v1beta1",
    kind: "OrchletConfiguration",
    containerRuntimeEndpoint: "unix:///var/lib/orchlet/process.sock",
    tlsCertFile: `${mounted}/serving.crt`,
    tlsPrivateKeyFile: `${mounted}/serving.key`,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${mounted}/ca.crt` },
    },
    authorization: { mode: "Webhook" },
    staticPodPath: `${mounted}/manifests`,
    failSwapOn: false,
  });
}
