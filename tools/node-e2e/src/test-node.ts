import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { type FakeApiServer, type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { containerdUnavailable, startContainerd, type TestContainerd } from "@orchernetes/cri/testing";
import { canMount, removeCgroups, unmountAndRemove } from "@orchernetes/host";
import { freePort, poll, type RunningDaemon, startDaemon } from "@orchernetes/testkit";
import { type Disk, mountDisk } from "./disks.ts";
import { podOf } from "./pods.ts";

/** Why nodes cannot run on this machine; undefined if they can. */
export const cannotRun: string | undefined = (await canMount())
  ? await containerdUnavailable()
  : "this process may not mount";

/** Title of a group of tests: with the reason, when it is skipped. */
export const title = (what: string): string => (cannotRun === undefined ? what : `${what} (skipped: ${cannotRun})`);

/** How a node differs from the usual one. */
export interface TestNodeOptions {
  /** Fields of the agent's configuration. */
  readonly settings?: object;
  readonly flags?: readonly string[];
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  /** The disk of the agent's folder. @default that of the host's temporary files */
  readonly disk?: Disk;
  /** The disk of images. @default that of the host's temporary files */
  readonly imageDisk?: Disk;
  /** Flags by which the agent finds its API server, given the node's folder. @default those of the server that is played */
  readonly api?: (dir: string) => readonly string[];
  /** Whether the agent runs from the beginning. @default true */
  readonly start?: boolean;
}

/** A node whose agent is a process of its own, with a containerd of its own, and an API server that is played. */
export interface TestNode {
  /** Folder of everything that belongs to the node. */
  readonly dir: string;
  /** The agent's `--root-dir`. */
  readonly rootDir: string;
  /** Folder of the static pods. */
  readonly manifests: string;
  readonly cgroupRoot: string;
  readonly api: FakeApiServer;
  readonly containerd: TestContainerd;
  readonly agent: RunningDaemon;
  /** `http://` address of the agent's server, which lets everybody in. */
  readonly url: string;
  /** Starts another agent with the same files, and further flags. */
  startAgent(flags?: readonly string[]): Promise<RunningDaemon>;
  /** Creates a pod that is bound to the node, in namespace `default` with uid `uid-NAME`. Its first container is `c` of busybox. */
  create(name: string, container: object, spec?: object, metadata?: object): void;
  /** The pod as the API server has it. */
  shown(name: string): core.Pod | undefined;
  node(): core.Node | undefined;
  condition(type: string): string | undefined;
  /** `REASON: MESSAGE` of all events, or of those about one object. */
  events(name?: string): readonly string[];
  /** Waits until the check is true. @throws Error after two minutes, with what was waited for and the end of the agent's log */
  until(what: string, check: () => unknown, timeoutMs?: number): Promise<void>;
  /** Waits until the pod has the phase. */
  untilPhase(name: string, phase: string): Promise<void>;
  stop(): Promise<void>;
}

const clientConfig = (server: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "fake", cluster: { server } }],
    contexts: [{ name: "fake", context: { cluster: "fake", user: "node" } }],
    users: [{ name: "node", user: {} }],
    "current-context": "fake",
  });

/** Folders, the runtime and the API server of a node. */
interface Parts {
  readonly dir: string;
  readonly rootDir: string;
  readonly manifests: string;
  readonly cgroupRoot: string;
  readonly containerd: TestContainerd;
  readonly api: FakeApiServer;
  readonly port: number;
  release(): Promise<void>;
}

async function startParts({ settings, disk, imageDisk }: TestNodeOptions): Promise<Parts> {
  const dir = mkdtempSync(join(tmpdir(), "o8s-node-"));
  const [rootDir, manifests, images] = [join(dir, "root"), join(dir, "manifests"), join(dir, "images")] as const;
  const cgroupRoot = dir.slice(dir.lastIndexOf("/") + 1);
  let containerd: TestContainerd | undefined;
  let api: FakeApiServer | undefined;
  const release = async (): Promise<void> => {
    await containerd?.stop();
    await api?.close();
    await unmountAndRemove(dir);
    await removeCgroups(cgroupRoot);
  };
  try {
    for (const folder of [rootDir, manifests, images]) mkdirSync(folder);
    if (disk !== undefined) await mountDisk(rootDir, disk);
    if (imageDisk !== undefined) await mountDisk(images, imageDisk);
    containerd = await startContainerd({ dir: images });
    api = await startFakeApiServer();
    const port = await freePort();
    const config = {
      apiVersion: "orchlet.config.o8s.io/v1beta1",
      kind: "OrchletConfiguration",
      address: "127.0.0.1",
      port,
      healthzPort: 0,
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: "AlwaysAllow" },
      containerRuntimeEndpoint: containerd.endpoint,
      cgroupRoot: `/${cgroupRoot}`,
      staticPodPath: manifests,
      fileCheckFrequency: "1s",
      failSwapOn: false,
      evictionHard: {},
      featureGates: { PodDisruptionConditions: true },
      ...settings,
    };
    writeFileSync(join(dir, "config.json"), JSON.stringify(config));
    writeFileSync(join(dir, "node.orchconfig"), clientConfig(api.url));
    return { dir, rootDir, manifests, cgroupRoot, containerd, api, port, release };
  } catch (error) {
    await release();
    throw error;
  }
}

const agentFlags = ({ dir, rootDir }: Parts, { api, flags = [] }: TestNodeOptions): readonly string[] => [
  `--config=${join(dir, "config.json")}`,
  ...(api?.(dir) ?? [`--orchconfig=${join(dir, "node.orchconfig")}`]),
  `--root-dir=${rootDir}`,
  `--cert-dir=${join(dir, "pki")}`,
  "--hostname-override=node-a",
  "--node-ip=127.0.0.1",
  ...flags,
];

/** What tests see of the node's API server. */
function viewOf(api: FakeApiServer) {
  const pods = "/api/v1/pods";
  const node = () => api.objects("/api/v1/nodes")[0] as core.Node | undefined;
  return {
    node,
    shown: (name: string) => api.objects(pods).find(({ metadata }) => metadata.name === name) as core.Pod | undefined,
    create: (...pod: Parameters<typeof podOf>) => void api.put(pods, podOf(...pod) as unknown as FakeObject),
    condition: (type: string) => node()?.status?.conditions?.find((condition) => condition.type === type)?.status,
    events: (name?: string) =>
      api
        .objects("/api/v1/events")
        .filter(({ involvedObject }) => name === undefined || (involvedObject as core.ObjectReference).name === name)
        .map(({ reason, message }) => `${String(reason)}: ${String(message)}`),
  };
}

/** Starts a node. @throws Error if containerd or the agent cannot be started; nothing is left then */
export async function startTestNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const parts = await startParts(options);
  const { dir, rootDir, manifests, cgroupRoot, api, containerd, port } = parts;
  const agents: RunningDaemon[] = [];
  const startAgent = async (flags: readonly string[] = []): Promise<RunningDaemon> => {
    const agent = await startDaemon({
      name: "orchlet",
      dir,
      flags: [...agentFlags(parts, options), ...flags],
      ...(options.env && { env: options.env }),
    });
    agents.push(agent);
    return agent;
  };
  if (options.start !== false) await startAgent();
  const view = viewOf(api);
  const until = async (what: string, check: () => unknown, timeoutMs = 120_000): Promise<void> => {
    await poll({ what, timeoutMs }, async () => Boolean(await check())).catch((error: Error) => {
      throw new Error(`${error.message}\n${agents.at(-1)?.log(20) ?? ""}`);
    });
  };
  return {
    ...{ dir, rootDir, manifests, cgroupRoot, api, containerd, startAgent, until, ...view },
    get agent() {
      const agent = agents.at(-1);
      if (agent === undefined) throw new Error("no agent has been started");
      return agent;
    },
    url: `https://127.0.0.1:${port}`,
    untilPhase: (name, phase) =>
      until(`pod ${name} to be ${phase}`, () => view.shown(name)?.status?.phase === phase).catch((error: Error) => {
        throw new Error(`${error.message}\nit is ${JSON.stringify(view.shown(name)?.status)}`);
      }),
    async stop() {
      for (const agent of agents.splice(0)) await agent.stop();
      await parts.release();
    },
  };
}
