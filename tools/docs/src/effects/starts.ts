import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import type { CloudProviderModule } from "@orchernetes/cloud-provider";
import { FakeCloud } from "@orchernetes/cloud-provider/testing";
import { type DaemonContext, type FlagTable, parseFlags } from "@orchernetes/component";
import { createProcessRuntime } from "@orchernetes/cri/process-runtime";
import { silentLogger } from "@orchernetes/kernel";
import { freePort } from "@orchernetes/testkit";
import { createCertificateAuthority } from "@orchernetes/tls";
import { completeConfig as cloudConfig } from "../../../../apps/cloud-controller-manager/src/config.ts";
import { runServer as runCloud } from "../../../../apps/cloud-controller-manager/src/server.ts";
import { completeConfig as metricsConfig } from "../../../../apps/metrics-server/src/config.ts";
import { runServer as runMetrics } from "../../../../apps/metrics-server/src/server.ts";
import { completeConfig as apiserverConfig } from "../../../../apps/orch-apiserver/src/config.ts";
import { startServer } from "../../../../apps/orch-apiserver/src/server.ts";
import { completeConfig as managerConfig } from "../../../../apps/orch-controller-manager/src/config.ts";
import { runServer as runManager } from "../../../../apps/orch-controller-manager/src/server.ts";
import { completeConfig as proxyConfig } from "../../../../apps/orch-proxy/src/config.ts";
import { runServer as runProxy } from "../../../../apps/orch-proxy/src/server.ts";
import { completeConfig as schedulerConfig } from "../../../../apps/orch-scheduler/src/config.ts";
import { runServer as runScheduler } from "../../../../apps/orch-scheduler/src/server.ts";
import { completeConfig as orchletConfig } from "../../../../apps/orchlet/src/config.ts";
import { startAgent } from "../../../../apps/orchlet/src/server.ts";
import { tables } from "../status-page.ts";
import { type Reads, recordReads } from "./record-reads.ts";

/** A daemon that can be configured, and started with what has been made of its flags. */
export interface Startable {
  readonly table: FlagTable;
  /** Flags that are always on its command line. */
  readonly argv: readonly string[];
  /** The settings it runs with. @throws ConfigurationError */
  configure(argv: readonly string[]): Promise<object>;
  /** Runs it with all parts enabled, and returns the settings that it reads. */
  run(): Promise<Reads>;
}

/** A daemon that has read nothing for this time, in milliseconds, has started all its work. */
const quietMs = 2500;

async function untilQuiet(count: () => number): Promise<void> {
  let before = -1;
  while (before !== count() || before === 0) {
    before = count();
    await sleep(quietMs);
  }
}

interface Daemon<Config extends object> {
  readonly table: FlagTable;
  readonly argv: readonly string[];
  /** Enables features that are disabled by default, so that their settings are read. */
  readonly more: readonly string[];
  configure(flags: never, explicit: ReadonlySet<string>): Promise<Config>;
  /** Runs until the signal aborts. */
  run(config: Config, context: DaemonContext): Promise<void>;
}

function startable<Config extends object>({ table, argv, more, configure, run }: Daemon<Config>): Startable {
  const configured = async (given: readonly string[]) => {
    const parsed = parseFlags({ name: "x", description: "x", version: { text: "v", raw: "v" } }, table, given);
    if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
    return { config: await configure(parsed.flags as never, parsed.explicit), explicit: parsed.explicit };
  };
  return {
    table,
    argv,
    configure: async (given) => (await configured([...argv, ...given])).config,
    async run() {
      const { config, explicit } = await configured([...argv, ...more]);
      const { value, reads } = recordReads(config);
      const end = new AbortController();
      const context = { logger: silentLogger, signal: end.signal, explicit, flushLogs: () => undefined };
      const quiet = untilQuiet(() => reads.direct.size + reads.copied.size).finally(() => end.abort());
      await Promise.all([run(value, context), quiet]);
      return reads;
    },
  };
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

const named = (name: string) => ({ name, namespace: "default", uid: name });
const recycled = (name: string, source: object) => ({
  metadata: { ...named(name), namespace: undefined },
  spec: {
    ...source,
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Recycle",
    claimRef: named("gone"),
  },
  status: { phase: "Released" },
});
const labels = { app: "a" };
const podSpec = { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }] };

/** Objects that make controllers read their settings. */
const objects: readonly (readonly [collection: string, object: FakeObject])[] = [
  ["/api/v1/persistentvolumes", recycled("nfs", { nfs: { server: "a", path: "/" } })],
  ["/api/v1/persistentvolumes", recycled("host", { hostPath: { path: "/tmp/a" } })],
  [
    "/api/v1/services",
    {
      metadata: named("s"),
      spec: { selector: labels, ports: [{ port: 80 }], ipFamilies: ["IPv4"], clusterIP: "10.0.0.1" },
    },
  ],
  [
    "/api/v1/pods",
    {
      metadata: { ...named("p"), labels },
      spec: { ...podSpec, nodeName: "n" },
      status: {
        phase: "Running",
        podIP: "10.1.0.1",
        podIPs: [{ ip: "10.1.0.1" }],
        conditions: [{ type: "Ready", status: "True" }],
      },
    },
  ],
  [
    "/api/v1/nodes",
    {
      metadata: { ...named("n"), namespace: undefined },
      spec: {},
      status: { addresses: [{ type: "InternalIP", address: "127.0.0.1" }] },
    },
  ],
  [
    "/apis/apps/v1/deployments",
    {
      metadata: named("d"),
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
      status: {},
    },
  ],
  [
    "/apis/autoscaling/v2/horizontalpodautoscalers",
    {
      metadata: named("h"),
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
        ],
      },
      status: {},
    },
  ],
];

/** What the stand-in knows beside its objects. */
const answers: Readonly<Record<string, unknown>> = {
  "/healthz": {},
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": { kind: "APIGroupList", groups: [] },
  "/api/v1": { kind: "APIResourceList", groupVersion: "v1", resources: [] },
};

/** A self-signed certificate with its key. */
async function servingPair(dir: string): Promise<{ readonly cert: string; readonly key: string }> {
  const authority = await createCertificateAuthority({ commonName: "a" });
  const pair = { cert: join(dir, "pair.crt"), key: join(dir, "pair.key") };
  writeFileSync(pair.cert, authority.certPem);
  writeFileSync(pair.key, authority.keyPem, { mode: 0o600 });
  return pair;
}

/** Writes a client configuration file for a server, and returns its path. */
function writeClientConfig(dir: string, server: string): string {
  const client = join(dir, "client");
  const document = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  writeFileSync(client, JSON.stringify(document), { mode: 0o600 });
  return client;
}

function serverFlags(port: number, store: string, certs: string): readonly string[] {
  return [
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    "--storage-backend=embedded",
    `--embedded-store-path=${store}`,
    `--cert-dir=${certs}`,
  ];
}

/** What the API server shows node agents. */
function agentCredentials({ cert, key }: { readonly cert: string; readonly key: string }): readonly string[] {
  return [
    `--orchlet-certificate-authority=${cert}`,
    `--orchlet-client-certificate=${cert}`,
    `--orchlet-client-key=${key}`,
  ];
}

/** Flags that enable features of the node agent that are disabled by default. */
function agentFlags(manifests: string, server: string): readonly string[] {
  return [
    "--authentication-token-webhook",
    "--authorization-mode=Webhook",
    "--anonymous-auth=false",
    `--pod-manifest-path=${manifests}`,
    `--manifest-url=${server}/manifests`,
    "--manifest-url-header=A:b",
    "--tracing=endpoint=127.0.0.1:2,samplingRatePerMillion=1",
    "--node-labels=a=a",
    "--system-reserved=cpu=1m",
    "--orch-reserved=cpu=1m",
    "--qos-reserved=memory=10%",
    "--feature-gates=QOSReserved=true",
    "--eviction-soft=memory.available<1Mi",
    "--eviction-soft-grace-period=memory.available=2m",
    "--eviction-minimum-reclaim=memory.available=2Mi",
    "--sync-frequency=1s",
    "--serialize-image-pulls=false",
    "--max-parallel-image-pulls=2",
  ];
}

/** Flags that give the cloud's daemon something to do. */
const cloudFlags = [
  "--cloud-provider=none",
  "--cluster-cidr=10.244.0.0/16",
  "--webhooks=*",
  "--webhook-bind-address=127.0.0.1",
  "--feature-gates=CloudControllerManagerWebhook=true",
];

/** A cloud with all parts, and a webhook. */
const noCloud: CloudProviderModule = {
  webhooks: { a: { path: "/a", admit: async () => ({ allowed: true }) } },
  create: ({ config }) => Object.assign(new FakeCloud(), { region: config, run: ended }),
};

const startableProxy = async (client: string): Promise<Startable> =>
  startable({
    table: tables["orch-proxy"],
    argv: [
      `--orchconfig=${client}`,
      `--healthz-bind-address=127.0.0.1:${await freePort()}`,
      `--metrics-bind-address=127.0.0.1:${await freePort()}`,
    ],
    // The rules and kernel parameters of this host are not to be changed by a test.
    more: ["--proxy-mode=userspace", "--oom-score-adj=0"],
    configure: proxyConfig,
    run: runProxy,
  });

/** The daemons on an API server that stands in for a real one, with their files in `dir`. */
export async function startables(dir: string) {
  const api = await startFakeApiServer();
  api.hook = ({ path }) => (Object.hasOwn(answers, path) ? { status: 200, body: answers[path] } : undefined);
  const client = writeClientConfig(dir, api.url);
  const folder = (name: string): string => {
    mkdirSync(join(dir, name), { recursive: true });
    return join(dir, name);
  };
  const controlPlane = async () => [
    `--orchconfig=${client}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${await freePort()}`,
    `--cert-dir=${folder("pairs")}`,
  ];
  for (const [collection, object] of objects) api.put(collection, object);
  const pair = await servingPair(dir);
  const delegated = [`--authentication-orchconfig=${client}`, `--authorization-orchconfig=${client}`];
  const authorities = [`--client-ca-file=${pair.cert}`, `--requestheader-client-ca-file=${pair.cert}`];
  const limits = ["--orch-api-qps=50", "--orch-api-burst=60"];
  const runtime = await createProcessRuntime({ socketPath: join(dir, "cri.sock"), rootDir: folder("runtime") });
  const daemons = {
    "orch-apiserver": startable({
      table: tables["orch-apiserver"],
      argv: serverFlags(await freePort(), folder("store"), folder("certs")),
      more: [...authorities, "--storage-media-type=application/json", ...agentCredentials(pair)],
      configure: apiserverConfig,
      async run(config, context) {
        const server = await startServer(config, context);
        await ended(context.signal);
        await server.stop();
      },
    }),
    "orch-scheduler": startable({
      table: tables["orch-scheduler"],
      argv: await controlPlane(),
      more: [...delegated, ...authorities, ...limits],
      configure: schedulerConfig,
      run: runScheduler,
    }),
    "orch-controller-manager": startable({
      table: tables["orch-controller-manager"],
      argv: [...(await controlPlane()), "--controller-start-interval=0s"],
      more: [...delegated, ...authorities, ...limits],
      configure: managerConfig,
      run: runManager,
    }),
    "cloud-controller-manager": startable({
      table: tables["cloud-controller-manager"],
      argv: [...(await controlPlane()), ...cloudFlags, `--webhook-secure-port=${await freePort()}`],
      more: [...delegated, ...authorities],
      configure: (flags, explicit) => cloudConfig(flags, explicit, { none: async () => noCloud }),
      run: runCloud,
    }),
    "metrics-server": startable({
      table: tables["metrics-server"],
      argv: await controlPlane(),
      more: [...delegated, ...authorities, ...agentCredentials(pair), "--orchlet-preferred-address-types=InternalIP"],
      configure: metricsConfig,
      run: runMetrics,
    }),
    "orch-proxy": await startableProxy(client),
    orchlet: startable({
      table: tables.orchlet,
      argv: [
        `--orchconfig=${client}`,
        "--address=127.0.0.1",
        `--port=${await freePort()}`,
        `--healthz-port=${await freePort()}`,
        `--read-only-port=${await freePort()}`,
        `--container-runtime-endpoint=${runtime.endpoint}`,
        `--root-dir=${folder("orchlet")}`,
        `--cert-dir=${folder("pki")}`,
        "--fail-swap-on=false",
      ],
      more: agentFlags(folder("manifests"), api.url),
      configure: orchletConfig,
      async run(config, context) {
        const agent = await startAgent(config, context);
        await ended(context.signal);
        await agent.stop();
      },
    }),
  };
  return {
    daemons,
    client,
    pair,
    async close() {
      await runtime.close();
      await api.close();
    },
  };
}
