import { core, node as nodeApi, storage } from "@orchernetes/api";
import {
  type Client,
  createClient,
  createEventRecorder,
  createInformer,
  type EventRecorder,
  type Informer,
} from "@orchernetes/client";
import { createDaemonMetrics, type DaemonContext, type Metrics, restClientMetrics } from "@orchernetes/component";
import type { CriClient, createCriClient } from "@orchernetes/cri";
import { canMount, FileSystems } from "@orchernetes/host";
import { type Clock, type Logger, systemClock } from "@orchernetes/kernel";
import { startTracing, type Tracer } from "@orchernetes/tracing";
import { type AgentCertificates, createAgentCertificates } from "../certificates/agent-certificates.ts";
import type { Config } from "../config.ts";
import { createResourceManager, type ResourceManager } from "../container-manager/resource-manager/resource-manager.ts";
import { measuredCri } from "../metrics/measured-cri.ts";
import { type MachineInfo, machineInfo } from "../node/machine-info.ts";
import { podInformer } from "../sources/api-source.ts";
import { tracedCri } from "../tracing/traced-cri.ts";
import { type Paths, preparePaths } from "../util/paths.ts";

/** Everything that does not need an API server: the machine, the agent's files and the container runtime. */
export interface AgentHost {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
  readonly paths: Paths;
  /**
   * Whether this process may mount file systems (CAP_SYS_ADMIN). Without it, secrets are kept on disk and not in a
   * tmpfs.
   */
  readonly mayMount: boolean;
  readonly machine: MachineInfo;
  /** The space of the node's file systems. */
  readonly fileSystems: FileSystems;
  readonly metrics: Metrics;
  /** Resources that belong to one container at a time. */
  readonly resources: ResourceManager;
  /** Undefined if tracing is not configured. */
  readonly tracer: Tracer | undefined;
  readonly cri: CriClient;
  /** Changes the verbosity of the log; undefined where that is not possible. */
  readonly setVerbosity: ((level: number) => void) | undefined;
}

/** The agent's view of the API server. */
export interface AgentApi {
  readonly client: Client;
  readonly certificates: AgentCertificates;
  readonly events: EventRecorder;
  readonly services: Informer<core.Service>;
  readonly runtimeClasses: Informer<nodeApi.RuntimeClass>;
  readonly csiDrivers: Informer<storage.CSIDriver>;
  /** Pods that are bound to this node, mirror pods among them. */
  readonly pods: Informer<core.Pod>;
}

/**
 * Prepares folders, metrics, tracing and the connection to the runtime.
 *
 * @throws Error when a folder cannot be created or belongs to another user, its file system does not answer, or resources cannot be managed
 *   as configured
 */
export async function openHost(
  config: Config,
  { logger, setVerbosity }: DaemonContext,
  signal: AbortSignal,
  connectRuntime: typeof createCriClient,
): Promise<AgentHost> {
  const { settings, rootDir } = config;
  const paths = preparePaths(rootDir);
  const mayMount = await canMount();
  if (!mayMount)
    logger.warn(
      "This process may not mount file systems: secrets and tokens of pods are stored on disk, in folders that other users cannot read",
      { rootDir },
    );
  const clock = systemClock;
  const fileSystems = new FileSystems();
  const machine = await machineInfo(rootDir, { fileSystems, sys: config.hostFolders?.sys });
  const metrics = createDaemonMetrics(config.metricFlags, signal);
  const resources = createResourceManager({
    ...{ settings, metrics, logger, folder: paths.root, sys: config.hostFolders?.sys, clock },
  });
  const tracer =
    settings.tracing === undefined
      ? undefined
      : await startTracing({ service: "orchlet", configuration: settings.tracing, logger, signal });
  const runtime = connectRuntime({
    endpoint: settings.containerRuntimeEndpoint,
    imageEndpoint: settings.imageServiceEndpoint,
    timeoutMs: settings.runtimeRequestTimeout,
  });
  const cri = measuredCri(tracer === undefined ? runtime : tracedCri(runtime, tracer), metrics, clock);
  return {
    ...{ config, clock, logger, signal, paths, mayMount, machine, fileSystems, metrics, resources, tracer, cri },
    setVerbosity,
  };
}

/**
 * Creates the client of the API server and the informers, which are started later.
 *
 * @returns undefined for a standalone agent, which has no API server
 * @throws TlsMaterialError when the client's certificate is to be renewed and cannot be used
 */
export function connectApi({ config, logger, metrics, clock }: AgentHost): AgentApi | undefined {
  const { api, nodeName, settings } = config;
  if (api === undefined) return undefined;
  const certificates = createAgentCertificates(config, { clock, logger, metrics });
  const client = createClient({
    ...api,
    ...(certificates.tls && { tls: certificates.tls }),
    userAgent: "orchlet/v1.27",
    qps: settings.orchAPIQPS,
    burst: settings.orchAPIBurst,
    contentTypes: config.contentTypes,
    logger,
    metrics: restClientMetrics(metrics),
  });
  return {
    client,
    certificates,
    events: createEventRecorder(client.with({ qps: settings.eventRecordQPS, burst: settings.eventBurst }), {
      component: "orchlet",
      host: nodeName,
      logger,
    }),
    services: createInformer(client, core.services, { logger }),
    runtimeClasses: createInformer(client, nodeApi.runtimeClasses, { logger }),
    csiDrivers: createInformer(client, storage.csiDrivers, { logger }),
    pods: podInformer(client, nodeName, logger),
  };
}
