import { randomInt, X509Certificate } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiRequest } from "./api-probe.ts";
import { applyObject } from "./apply-object.ts";
import { groupBinding, RBAC } from "./group-binding.ts";
import type { Layout } from "./layout.ts";
import type { ProfileTarget } from "./profile.ts";

/** Name of the client configuration with which node agents request their first certificate. */
export const BOOTSTRAP_CLIENT = "bootstrap";

/** The group of whoever has a token of this tool. */
const GROUP = "system:bootstrappers:orchadm:default-node-token";
const REQUESTS = "system:certificates.o8s.io:certificatesigningrequests";
/** How long a token is accepted. It is deleted as soon as the nodes have joined. */
const TOKEN_MS = 15 * 60_000;

/** As the original's tool for clusters binds them. */
const bindings = [
  groupBinding("orchadm:orchlet-bootstrap", "system:node-bootstrapper", GROUP),
  groupBinding("orchadm:node-autoapprove-bootstrap", `${REQUESTS}:nodeclient`, GROUP),
  groupBinding("orchadm:node-autoapprove-certificate-rotation", `${REQUESTS}:selfnodeclient`, "system:nodes"),
];

/** Whether a node must join: it has no client configuration, or the certificate that it was issued has expired. */
export function mustJoin(files: Layout, node: string, nowMs = Date.now()): boolean {
  if (!existsSync(files.clientConfig(node))) return true;
  const issued = join(files.agentCertificates(node), "orchlet-client-current.pem");
  try {
    return Date.parse(new X509Certificate(readFileSync(issued)).validTo) <= nowMs;
  } catch {
    // The certificate is in the client configuration itself, in clusters that earlier versions made.
    return false;
  }
}

/**
 * Lets nodes request and renew their client certificates. Idempotent.
 *
 * @param as name of the client certificate to use
 * @throws Error with the server's answer
 */
export async function allowJoining({ files, state }: ProfileTarget, as: string): Promise<void> {
  const path = (name: string) => `/apis/${RBAC}/v1/clusterrolebindings/${name}`;
  await Promise.all(
    bindings.map((object) => applyObject(files, state.port, { path: path(object.metadata.name), object, as })),
  );
}

/** `length` random letters and digits. */
const random = (length: number): string =>
  Array.from({ length }, () => "0123456789abcdefghijklmnopqrstuvwxyz"[randomInt(36)]).join("");

const encoded = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]));

/**
 * Creates a token and writes the client configuration that has it.
 *
 * @param as name of the client certificate to use
 * @returns a function that deletes both
 * @throws Error with the server's answer
 */
export async function createJoinToken({ files, state }: ProfileTarget, as: string): Promise<() => Promise<void>> {
  const [id, secret] = [random(6), random(16)];
  const path = `/api/v1/namespaces/orch-system/secrets/bootstrap-token-${id}`;
  const object = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `bootstrap-token-${id}`, namespace: "orch-system" },
    type: "bootstrap.orchernetes.io/token",
    data: encoded({
      description: "Lets the nodes of this cluster join it.",
      "token-id": id,
      "token-secret": secret,
      expiration: new Date(Date.now() + TOKEN_MS).toISOString(),
      "usage-bootstrap-authentication": "true",
      "auth-extra-groups": GROUP,
    }),
  };
  await applyObject(files, state.port, { path, object, as });
  const file = files.clientConfig(BOOTSTRAP_CLIENT);
  writeTokenConfig(files, file, `https://127.0.0.1:${state.port}`, `${id}.${secret}`);
  return async () => {
    rmSync(file, { force: true });
    const { status, body } = await apiRequest(files, state.port, { method: "DELETE", path, as });
    if (status !== 200 && status !== 404)
      throw new Error(`deleting the bootstrap token: the API server answered ${status}: ${body}`);
  };
}

function writeTokenConfig(files: Layout, file: string, server: string, token: string): void {
  const authority = readFileSync(files.certificate("ca").certFile).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "local", cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name: BOOTSTRAP_CLIENT, user: { token } }],
    contexts: [{ name: "local", context: { cluster: "local", user: BOOTSTRAP_CLIENT } }],
    "current-context": "local",
  };
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
}
