/**
 * Fixtures of tests and benchmarks:
 *
 * - Builders of objects, such as {@link pod} and {@link deployment}.
 * - Real programs as child processes: {@link startEtcd}, {@link startApiServer}, {@link startCluster}. They end with
 *   the test process at the latest. Real containerd is in `@orchernetes/cri/testing`.
 * - Counterparts that misbehave on request: {@link startWebhookServer}, {@link startConnectProxy}, {@link
 *   startTcpProxy}.
 * - {@link runRound}, which checks that the server is linearizable while a fault is injected.
 *
 * Daemons are started by the path of their `main.mjs`, that of their bundle in `npm test`; no app is imported.
 *
 * @example
 * ```ts
 * import { pod, startApiServer } from "@orchernetes/testkit";
 *
 * const server = await startApiServer();
 * const web = pod("web").on("node-1").requests({ cpu: "100m" }).build();
 * await server.stop();
 * ```
 *
 * @module
 */
export { seededNumbers } from "@orchernetes/apimachinery";
export {
  etcdAvailable,
  type KmsPlugin,
  type KmsPluginBehaviour,
  type RunningEtcd,
  type StartEtcdOptions,
  startEtcd,
  startKmsPlugin,
} from "@orchernetes/storage/testing";
export { DeploymentBuilder, deployment } from "./builders/deployment.ts";
export { NodeBuilder, node } from "./builders/node.ts";
export { epoch, ObjectBuilder } from "./builders/object-builder.ts";
export { PodBuilder, pod } from "./builders/pod.ts";
export { ReplicaSetBuilder, replicaSet } from "./builders/replica-set.ts";
export { ServiceBuilder, service } from "./builders/service.ts";
export { type ClaimSketch, claim, storageClass, type VolumeSketch, volume } from "./builders/volumes.ts";
export { type CsiSidecars, startCsiSidecars } from "./csi/csi-sidecars.ts";
export type {
  CsiCallSeen,
  CsiMisbehaviour,
  DirectoryDriver,
  DirectoryDriverOptions,
} from "./csi/directory-driver.ts";
export { type RunningCsiDriver, type StartCsiDriverOptions, startCsiDriver } from "./csi/start-csi-driver.ts";
export { newAtOld, oldAtNew, sameLevel } from "./levels/level-translation.ts";
export { startReferenceScheduler, writeOpenClientConfig } from "./levels/reference-scheduler.ts";
export { startTranslatingProxy, type TranslatingProxy, type Translation } from "./levels/translating-proxy.ts";
export {
  type DaemonCommandOptions,
  type DaemonName,
  type DaemonsFrom,
  daemonCommand,
  daemonsFrom,
  toolCommand,
  workspaceRoot,
} from "./processes/daemon-path.ts";
export { pauseProcess, slowProcess } from "./processes/disturb-process.ts";
export { type FailedStart, failedStart } from "./processes/failed-start.ts";
export { freePort } from "./processes/free-port.ts";
export { type GuardedProcess, type GuardedProcessOptions, logTail, startGuarded } from "./processes/guarded-process.ts";
export { guardAgainstOrphans, type OrphanGuard } from "./processes/orphan-guard.ts";
export { type PollOptions, poll } from "./processes/poll.ts";
export * from "./robustness/index.ts";
export {
  type ReplaceServingFilesOptions,
  replaceServingFiles,
  replaceServingFilesOf,
  type ServingFilesReport,
} from "./servers/serving-files.ts";
export { type StartApiServerOptions, startApiServer, type TestApiServer } from "./servers/start-api-server.ts";
export { type ClusterNode, type StartClusterOptions, startCluster, type TestCluster } from "./servers/start-cluster.ts";
export {
  type ConnectProxy,
  type ConnectProxyBehaviour,
  type ConnectProxyOptions,
  startConnectProxy,
} from "./servers/start-connect-proxy.ts";
export { type RunningDaemon, type StartDaemonOptions, startDaemon } from "./servers/start-daemon.ts";
export {
  type EtcdCluster,
  type EtcdMember,
  type EtcdTls,
  type StartEtcdClusterOptions,
  startEtcdCluster,
} from "./servers/start-etcd-cluster.ts";
export {
  type KonnectivityBehaviour,
  type KonnectivityOptions,
  type KonnectivityServer,
  startKonnectivityServer,
} from "./servers/start-konnectivity-server.ts";
export { type OidcIssuer, startOidcIssuer } from "./servers/start-oidc-issuer.ts";
export {
  type StartWebhookServerOptions,
  startWebhookServer,
  type WebhookBehaviour,
  type WebhookRequest,
  type WebhookServer,
} from "./servers/start-webhook-server.ts";
export { startTcpProxy, type TcpProxy } from "./servers/tcp-proxy.ts";
