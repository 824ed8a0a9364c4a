import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificates, core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { freePort, type RunningDaemon, startApiServer, startDaemon, type TestApiServer } from "@orchernetes/testkit";
import { type CertificateAuthority, createCertificateAuthority } from "@orchernetes/tls";

/** An API server that nodes can join with a bootstrap token, and a manager that signs their certificates for a short time. */
export interface JoinableServer {
  readonly client: Client;
  readonly authority: CertificateAuthority;
  /** File of a client configuration with the bootstrap token. */
  readonly bootstrapConfig: string;
  /** File of the authority that signs nodes' certificates, and that clients of nodes have certificates of. */
  readonly authorityFile: string;
  /** Approves the requests for serving certificates that nobody has decided on. */
  approveServing(): Promise<void>;
  /** The manager's log. */
  log(): string;
  stop(): Promise<void>;
}

const GROUP = "system:bootstrappers:test";
const REQUESTS = "system:certificates.o8s.io:certificatesigningrequests";
const roles = [
  ["bootstrap", "system:node-bootstrapper", GROUP],
  ["first", `${REQUESTS}:nodeclient`, GROUP],
  ["renewal", `${REQUESTS}:selfnodeclient`, "system:nodes"],
] as const;

async function allowJoining(client: Client, server: TestApiServer): Promise<string> {
  const rbac = { group: "rbac.authorization.o8s.io", version: "v1", scope: "Cluster" } as const;
  const bindings = client.resource({ ...rbac, plural: "clusterrolebindings", kind: "ClusterRoleBinding" });
  for (const [name, role, group] of roles)
    await bindings.create({
      metadata: { name },
      roleRef: { apiGroup: rbac.group, kind: "ClusterRole", name: role },
      subjects: [{ apiGroup: rbac.group, kind: "Group", name: group }],
    } as never);
  const [id, secret] = ["nodes0", "0123456789abcdef"];
  const data = {
    "token-id": id,
    "token-secret": secret,
    "auth-extra-groups": GROUP,
    "usage-bootstrap-authentication": "true",
  };
  await client
    .resource(core.secrets)
    .namespace("orch-system")
    .create({
      metadata: { name: `bootstrap-token-${id}` },
      type: "bootstrap.orchernetes.io/token",
      stringData: data,
    } as never);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "c",
        cluster: {
          server: server.url,
          "certificate-authority-data": readFileSync(server.caFile).toString("base64"),
        },
      },
    ],
    users: [{ name: "u", user: { token: `${id}.${secret}` } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  };
  const file = join(server.dir, "bootstrap.orchconfig");
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

/** Approves what waits for it. */
async function approveServing(client: Client): Promise<void> {
  const requests = client.resource(certificates.certificateSigningRequests);
  for (const request of (await requests.list()).items) {
    if (request.spec.signerName !== "orchernetes.io/orchlet-serving") continue;
    if ((request.status?.conditions ?? []).length > 0) continue;
    const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "" }];
    await requests
      .subresource("approval")
      .update(request.metadata.name ?? "", { ...request, status: { conditions } } as never);
  }
}

/**
 * Starts both.
 *
 * @param lifetime - of the certificates, such as `3m`
 */
export async function startJoinableServer(lifetime: string): Promise<JoinableServer> {
  const authority = await createCertificateAuthority({ commonName: "nodes" });
  const dir = mkdtempSync(join(tmpdir(), "o8s-nodes-ca-"));
  const [authorityFile, keyFile] = [join(dir, "ca.crt"), join(dir, "ca.key")] as const;
  writeFileSync(authorityFile, authority.certPem);
  writeFileSync(keyFile, authority.keyPem, { mode: 0o600 });
  const server = await startApiServer({
    authorizationMode: "Node,RBAC",
    flags: [
      `--client-ca-file=${authorityFile}`,
      "--enable-bootstrap-token-auth",
      "--enable-admission-plugins=NodeRestriction",
    ],
  });
  let manager: RunningDaemon | undefined;
  const stop = async () => {
    await manager?.stop();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const client = server.client();
    const bootstrapConfig = await allowJoining(client, server);
    manager = await startDaemon({
      name: "orch-controller-manager",
      dir: server.dir,
      flags: [
        `--orchconfig=${server.clientConfig}`,
        "--bind-address=127.0.0.1",
        `--secure-port=${await freePort()}`,
        "--leader-elect=false",
        "--controllers=csrsigning,csrapproving,csrcleaner",
        `--cluster-signing-duration=${lifetime}`,
        `--cluster-signing-cert-file=${authorityFile}`,
        `--cluster-signing-key-file=${keyFile}`,
      ],
    });
    const running = manager;
    return {
      client,
      authority,
      bootstrapConfig,
      authorityFile,
      approveServing: () => approveServing(client),
      log: () => running.log(20),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
