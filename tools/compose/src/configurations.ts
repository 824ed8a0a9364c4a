import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where each client finds the API server: in the compose network, or through the published port. */
const CLIENTS = {
  admin: "https://127.0.0.1:6443",
  "orch-scheduler": "https://orch-apiserver:6443",
  "orch-controller-manager": "https://orch-apiserver:6443",
  "node-1": "https://orch-apiserver:6443",
} as const;

/** Writes the client configuration of every identity, and the node agent's configuration file. */
export function writeConfigurations(dir: string): void {
  const base64 = (file: string): string => readFileSync(join(dir, "pki", file)).toString("base64");
  // JSON is YAML: no reader minds.
  const write = (file: string, content: object): void =>
    writeFileSync(join(dir, file), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  for (const [name, server] of Object.entries(CLIENTS))
    write(`${name}.orchconfig`, {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "compose", cluster: { server, "certificate-authority-data": base64("ca.crt") } }],
      users: [
        {
          name,
          user: { "client-certificate-data": base64(`${name}.crt`), "client-key-data": base64(`${name}.key`) },
        },
      ],
      contexts: [{ name: "compose", context: { cluster: "compose", user: name } }],
      "current-context": "compose",
    });
  const manifests = join(dir, "node-1", "manifests");
  mkdirSync(manifests, { recursive: true });
  write("node-1.yaml", {
    apiVersion: "orchlet.config.o8s.io/v1beta1",
    kind: "OrchletConfiguration",
    containerRuntimeEndpoint: `unix://${join(dir, "node-1", "process.sock")}`,
    tlsCertFile: join(dir, "pki", "node-1-serving.crt"),
    tlsPrivateKeyFile: join(dir, "pki", "node-1-serving.key"),
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: join(dir, "pki", "ca.crt") },
    },
    authorization: { mode: "Webhook" },
    staticPodPath: manifests,
    failSwapOn: false,
  });
}
