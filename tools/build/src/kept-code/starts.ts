import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { serviceAccountKey } from "../daemons/serving.ts";
import { root } from "../paths.ts";
import type { DaemonName } from "../programs.ts";

/** A daemon with the flags of a start that reaches nothing beyond its folder and the API server beside it. */
export interface Start {
  readonly name: DaemonName;
  readonly flags: readonly string[];
}

/** What is started to compile the code of daemons. */
export interface Starts {
  readonly apiserver: Start;
  /** Port of the API server on 127.0.0.1. */
  readonly port: number;
  readonly others: readonly Start[];
  /** The container runtime of the node agent, if that is among the others. */
  readonly runtime?: { readonly command: readonly string[]; readonly socket: string };
}

/**
 * The starts of an API server with an empty store and of those of the named daemons that can run beside it: not a cloud provider's.
 * The node agent has a runtime without containers, and no control groups, so that it changes nothing outside the folder.
 *
 * @param work folder for all files
 */
export async function startsOf(names: readonly DaemonName[], work: string): Promise<Starts> {
  const port = await freePort();
  const key = join(work, "key");
  writeFileSync(key, serviceAccountKey(), { mode: 0o600 });
  const config = join(work, "orchconfig");
  writeFileSync(config, clientConfig(port), { mode: 0o600 });
  writeFileSync(join(work, "tokens"), "build,admin,1,system:masters\n", { mode: 0o600 });
  const serve = (name: DaemonName, securePort: number): readonly string[] => [
    "--bind-address=127.0.0.1",
    `--secure-port=${securePort}`,
    `--cert-dir=${join(work, `certificates-${name}`)}`,
  ];
  const apiserver = [
    ...serve("orch-apiserver", port),
    "--storage-backend=embedded",
    `--embedded-store-path=${join(work, "store")}`,
    `--token-auth-file=${join(work, "tokens")}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://issuer",
    `--service-account-signing-key-file=${key}`,
    `--service-account-key-file=${key}`,
    "--service-cluster-ip-range=10.96.0.0/16",
  ];
  const more: Partial<Record<DaemonName, readonly string[]>> = {
    "orch-scheduler": ["--leader-elect=false"],
    "orch-controller-manager": [
      "--leader-elect=false",
      "--use-service-account-credentials=true",
      `--service-account-private-key-file=${key}`,
    ],
    "metrics-server": [],
  };
  const others: Start[] = [];
  for (const name of names) {
    const own = more[name];
    if (own === undefined) continue;
    const client = ["", "authentication-", "authorization-"].map((use) => `--${use}orchconfig=${config}`);
    others.push({ name, flags: [...serve(name, await freePort()), ...client, ...own] });
  }
  const starts = { apiserver: { name: "orch-apiserver", flags: apiserver }, port, others } as const;
  if (!names.includes("orchlet")) return starts;
  const socket = join(work, "cri.sock");
  writeFileSync(join(work, "node.json"), JSON.stringify(nodeConfig(socket, await freePort())));
  const files = [`--root-dir=${join(work, "node")}`, `--cert-dir=${join(work, "certificates-orchlet")}`];
  const agent = [
    `--config=${join(work, "node.json")}`,
    `--orchconfig=${config}`,
    "--hostname-override=build",
    ...files,
  ];
  others.push({ name: "orchlet", flags: agent });
  const main = join(root, "packages/cri/src/process-runtime/main.ts");
  return { ...starts, runtime: { command: [main, `--socket=${socket}`, `--root=${join(work, "runtime")}`], socket } };
}

/** The certificate of the server is made at its start, for this one client. */
const clientConfig = (port: number): string => `apiVersion: v1
kind: Config
clusters: [{ name: build, cluster: { server: "https://127.0.0.1:${port}", insecure-skip-tls-verify: true } }]
users: [{ name: build, user: { token: build } }]
contexts: [{ name: build, context: { cluster: build, user: build } }]
current-context: build
`;

const nodeConfig = (socket: string, port: number): object => ({
  apiVersion: "orchlet.config.o8s.io/v1beta1",
  kind: "OrchletConfiguration",
  address: "127.0.0.1",
  port,
  healthzPort: 0,
  containerRuntimeEndpoint: `unix://${socket}`,
  authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
  authorization: { mode: "Webhook" },
  cgroupsPerQOS: false,
  enforceNodeAllocatable: [],
  failSwapOn: false,
});

/** A port of 127.0.0.1 that nothing listens at now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
