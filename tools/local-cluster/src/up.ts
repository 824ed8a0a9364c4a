import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { bridgeAddress } from "@orchernetes/cri/containerd";
import { ensureFolder } from "@orchernetes/host";
import { areServicesServed, isApiReady, isEtcdHealthy, isHealthy, isNodeReady } from "./api-probe.ts";
import { Cluster } from "./cluster.ts";
import { agentDns, applyDns, areNamesServed, dnsSummary, planDns, proxyDns } from "./cluster-dns.ts";
import {
  apiserverCommand,
  controllerManagerCommand,
  etcdCommand,
  metricsServerCommand,
  orchletCommand,
  orchletConfig,
  proxyCommand,
  SERVICE_IP,
  schedulerCommand,
} from "./daemon-commands.ts";
import { applyDefaultStorageClass } from "./default-storage-class.ts";
import { ensureFolders, refuseShared } from "./folders.ts";
import { allowJoining, createJoinToken, mustJoin } from "./join-token.ts";
import { type Layout, layout } from "./layout.ts";
import { allowMetricsServer, metricsApiAvailable, registerMetricsApi } from "./metrics-api.ts";
import type { UpOptions } from "./options.ts";
import { bindOrchletClient } from "./orchlet-client-binding.ts";
import { daemonIdentities, ensurePki, PROXY_CLIENT, writeClientConfig } from "./pki.ts";
import { choosePodNetwork, tagOf } from "./pod-networks.ts";
import { applyPodRange } from "./pod-range.ts";
import { claimPort, createPortPicker, requireFree } from "./ports.ts";
import type { Profile } from "./profile.ts";
import { profileOf } from "./profiles/index.ts";
import { choosePrograms, type Programs } from "./programs.ts";
import { proxyConfig, proxyPorts, withProxyPorts } from "./proxy-config.ts";
import { chooseRuntime, importImages, runtimeEndpoint, startRuntime } from "./runtimes.ts";
import { addressOf, type ClusterState, type MetricsServerState, type NodeState, portsOf } from "./state.ts";
import { createSteps, type Steps } from "./steps.ts";

/** Chooses ports and networks of a new cluster. They are kept in its state: clients and certificates contain them. */
async function planCluster(
  files: Layout,
  options: UpOptions,
  runtime: NodeState["runtime"],
  { store }: Profile,
): Promise<ClusterState> {
  await requireFree(options.port);
  const pick = createPortPicker();
  const tag = tagOf(options.dataDir);
  const nodes: NodeState[] = [];
  for (let i = 1; i <= options.nodes; i++) {
    const name = `node-${i}`;
    const podCidr = await choosePodNetwork(runtime, tag, i);
    nodes.push({
      name,
      runtime,
      port: await pick(10250 + 100 * (i - 1)),
      healthzPort: await pick(10248 + 100 * (i - 1)),
      proxy: await proxyPorts(i, pick),
      podCidr,
      ...(!podCidr.startsWith("127.") && { address: bridgeAddress(podCidr) }),
      bridge: `o8s-${tag.toString("hex", 0, 3)}-${i}`,
      endpoint: runtimeEndpoint(runtime, files.runtime(name)),
    });
  }
  return {
    version: 1,
    port: options.port,
    store: options.store ?? store,
    etcdPort: await pick(2379),
    etcdPeerPort: await pick(2380),
    schedulerPort: await pick(10259),
    controllerManagerPort: await pick(10257),
    ...(await planDns()),
    ...(options.metrics && { metricsServer: { address: addressOf(nodes[0] ?? {}), port: await pick(4443) } }),
    nodes,
    processes: [],
  };
}

async function startNode(cluster: Cluster, node: NodeState, { programs, profile, step }: StartOptions): Promise<void> {
  const { files, state } = cluster;
  await step(
    `${node.runtime === "containerd" ? "containerd" : "process runtime"} of ${node.name}`,
    () => startRuntime(cluster, node, programs),
    () => node.endpoint,
  );
  if (node.runtime === "containerd")
    await step(
      `images of ${node.name}`,
      () => importImages(node),
      (names) => names.join(", "),
    );
  writeFileSync(
    files.nodeConfig(node.name),
    `${JSON.stringify({ ...orchletConfig(files, node, profile), ...agentDns(state) }, null, 2)}\n`,
    {
      mode: 0o600,
    },
  );
  cluster.start(`orchlet-${node.name}`, orchletCommand(files, node, programs, profile));
  // One that runs would end because of another content, after it has been looked at whether it runs.
  if (!cluster.isRunning(`orch-proxy-${node.name}`))
    writeFileSync(
      files.proxyConfig(node.name),
      `${JSON.stringify({ ...proxyConfig(state, node), ...proxyDns(state) }, null, 2)}\n`,
      {
        mode: 0o600,
      },
    );
  cluster.start(`orch-proxy-${node.name}`, proxyCommand(files, node, programs));
  await step(`${node.name} Ready`, () =>
    cluster.waitFor(`orchlet-${node.name}`, "Ready", () => isNodeReady(files, state.port, node.name), 120_000),
  );
  await applyPodRange(cluster, node, profile.operator);
  if (!profile.pki.servesNodes)
    await step(`serving certificate of ${node.name}`, () => profile.finishNode(cluster, node));
}

/** Resolves when a connection to a service's address, from a pod of each node or from the host, is routed. */
async function servicesServed(cluster: Cluster): Promise<void> {
  for (const { name, proxy } of cluster.state.nodes)
    await cluster.waitFor(
      `orch-proxy-${name}`,
      "serving services",
      () => areServicesServed(proxy?.metricsPort ?? 0),
      60_000,
    );
}

/** What the processes of a cluster are started with. */
interface StartOptions {
  readonly programs: Programs;
  readonly profile: Profile;
  readonly step: Steps;
}

async function startAll(cluster: Cluster, options: StartOptions): Promise<void> {
  const { programs, profile, step } = options;
  const { files, state } = cluster;
  if (state.store === "etcd") {
    cluster.start("etcd", etcdCommand(files, state));
    await step(
      "etcd",
      () => cluster.waitFor("etcd", "healthy", () => isEtcdHealthy(files, state.etcdPort), 60_000),
      () => `127.0.0.1:${state.etcdPort}`,
    );
  }
  cluster.start("orch-apiserver", apiserverCommand(files, state, programs, profile));
  await step(
    "orch-apiserver ready",
    () => cluster.waitFor("orch-apiserver", "ready", () => isApiReady(files, state.port), 120_000),
    () => `https://127.0.0.1:${state.port}`,
  );
  await step("permissions of the API server on node agents", () =>
    bindOrchletClient(files, state.port, profile.operator),
  );
  await step(
    "default storage class",
    () => applyDefaultStorageClass(files, state.port, profile.operator),
    () => "local-path",
  );
  await applyDns(files, state, profile.operator);
  await step(profile.setUpTitle, () => profile.setUp(cluster));
  const central = [
    ["orch-controller-manager", controllerManagerCommand(files, state, programs, profile), state.controllerManagerPort],
    ["orch-scheduler", schedulerCommand(files, state, programs, profile), state.schedulerPort],
  ] as const;
  // They start while the nodes do.
  for (const [name, command] of central) cluster.start(name, command);
  const endJoining = profile.pki.joinsNodes ? await beginJoining(cluster, options) : undefined;
  for (const node of state.nodes) await startNode(cluster, node, options);
  await endJoining?.();
  await step("orch-controller-manager, orch-scheduler healthy", async () => {
    for (const [name, , port] of central) await cluster.waitFor(name, "healthy", () => isHealthy(files, port), 120_000);
  });
  await step("Services routed on every node", () => servicesServed(cluster));
  const { dns, nodes } = state;
  if (dns !== undefined)
    await step(
      "cluster DNS ready",
      () => cluster.waitFor(`orch-proxy-${nodes[0]?.name}`, "serving names", () => areNamesServed(dns.address), 60_000),
      () => dnsSummary(dns.address, nodes),
    );
  if (state.metricsServer !== undefined) await startMetricsServer(cluster, state.metricsServer, options);
  cluster.requireRunning();
}

/** Lets the nodes join that have to. @returns a function that ends it, when they have joined */
async function beginJoining(cluster: Cluster, { profile, step }: StartOptions): Promise<() => Promise<void>> {
  const { files, state } = cluster;
  await allowJoining(cluster, profile.operator);
  const joining = state.nodes.filter(({ name }) => mustJoin(files, name)).map(({ name }) => name);
  if (joining.length === 0) return async () => undefined;
  return step(
    "bootstrap token",
    () => createJoinToken(cluster, profile.operator),
    () => `for ${joining.join(", ")}`,
  );
}

/** Starts the metrics server when the nodes, at whose address it listens, are there. */
async function startMetricsServer(
  cluster: Cluster,
  server: MetricsServerState,
  { programs, profile, step }: StartOptions,
): Promise<void> {
  const { files, state } = cluster;
  const { address, port } = server;
  const target = { files, port: state.port, as: profile.operator };
  await step(
    "metrics-server healthy, metrics API available",
    async () => {
      await allowMetricsServer(target);
      cluster.start("metrics-server", metricsServerCommand(files, server, programs, profile));
      const isServing = () => isHealthy(files, port, address);
      await cluster.waitFor("metrics-server", "healthy", isServing, 120_000);
      await registerMetricsApi(target, server);
      await metricsApiAvailable(target);
    },
    () => `https://${address}:${port}`,
  );
}

/**
 * Starts the cluster, or those of its processes that do not run. Resolves when every node is Ready and every daemon healthy.
 *
 * @returns whether everything ran already
 */
export async function up(
  options: UpOptions,
  write: (text: string) => void,
): Promise<{ readonly cluster: Cluster; readonly alreadyUp: boolean }> {
  const files = layout(options.dataDir);
  const step = createSteps(write);
  const known = Cluster.open(files);
  const profile = profileOf(files, options.profile);
  if (known?.isComplete()) {
    await profile.maintain(known);
    return { cluster: known, alreadyUp: true };
  }
  const { programs, origin } = choosePrograms(options.from);
  write(`   The daemons run from ${origin}.\n`);
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  refuseShared(files);
  // Nothing is written into a directory of another user.
  ensureFolder(options.dataDir, statSync(options.dataDir).mode & 0o7777);
  // Before anything else: these files say which profile the cluster has, also if this run is interrupted.
  profile.prepare(files);
  let cluster: Cluster;
  if (known !== undefined && known.state.processes.length > 0) {
    for (const name of known.dead())
      write(`   ${name} is not running and will be started again; its log is ${files.logFile(name)}\n`);
    for (const port of portsOf(known.state)) await claimPort(port);
    cluster = new Cluster(files, await withProxyPorts(known.state, createPortPicker()));
    cluster.save();
  } else {
    const { runtime, why } = await chooseRuntime(options);
    if (runtime === "process")
      write(
        `   Containers run as plain processes of this host, without isolation${why === "as asked" ? "" : ` (${why})`}.\n`,
      );
    cluster = new Cluster(files, await planCluster(files, options, runtime, profile));
    cluster.save();
  }
  const { state } = cluster;
  ensureFolders(files, state.nodes);
  const server = `https://127.0.0.1:${state.port}`;
  await step("certificates and client configurations", async () => {
    const nodes = state.nodes.map((node) => ({ name: node.name, address: addressOf(node) }));
    const etcd = state.store === "etcd";
    await ensurePki(files, { nodes, serviceIp: SERVICE_IP, etcd, variant: profile.pki });
    writeClientConfig(files, files.adminConfig, "admin", server);
    for (const identity of [
      ...daemonIdentities,
      PROXY_CLIENT,
      ...[...profile.pki.clients, ...(profile.pki.joinsNodes ? [] : nodes)].map(({ name }) => name),
    ])
      writeClientConfig(files, files.clientConfig(identity), identity, server);
    // Files of certificates are not secret, but no other user needs them.
    ensureFolders(files, state.nodes);
  });
  for (const note of profile.notes()) write(`   ${note}\n`);
  await startAll(cluster, { programs, profile, step });
  return { cluster, alreadyUp: false };
}
