import { core, node as nodeApi } from "@orchernetes/api";
import {
  type Client,
  createClient,
  createEventRecorder,
  createInformer,
  type EventRecorder,
  type Informer,
} from "@orchernetes/client";
import {
  createDaemonMetrics,
  type DaemonContext,
  type Metrics,
  restClientMetrics,
  startTracing,
  type Tracer,
} from "@orchernetes/component";
import type { CriClient, createCriClient } from "@orchernetes/cri";
import { canMount } from "@orchernetes/cri/host";
import { type Clock, type Logger, systemClock } from "@orchernetes/kernel";
import type { Config } from "./config.ts";
import { type MachineInfo, machineInfo } from "./node/machine-info.ts";
import { podInformer } from "./sources/api-source.ts";
import { tracedCri } from "./tracing/traced-cri.ts";
import { type Paths, preparePaths } from "./util/paths.ts";

/** What the agent stands on: the machine, its files and its runtime. */
export interface AgentHost {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
  readonly paths: Paths;
  /** Whether this process may mount. */
  readonly mayMount: boolean;
  readonly machine: MachineInfo;
  readonly metrics: Metrics;
  /** Undefined: nothing is traced. */
  readonly tracer: Tracer | undefined;
  readonly cri: CriClient;
}

/** The agent's view of the API server. */
export interface AgentApi {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly services: Informer<core.Service>;
  readonly runtimeClasses: Informer<nodeApi.RuntimeClass>;
  /** Pods that are bound to this node, mirror pods among them. */
  readonly pods: Informer<core.Pod>;
}

/** Prepares folders, metrics, tracing and the connection to the runtime. */
export async function openHost(
  config: Config,
  { logger }: DaemonContext,
  signal: AbortSignal,
  connectRuntime: typeof createCriClient,
): Promise<AgentHost> {
  const { settings, rootDir } = config;
  const paths = preparePaths(rootDir);
  const mayMount = await canMount();
  if (!mayMount)
    logger.warn(
      "This process may not mount: secrets and tokens of pods lie on the disk, in folders closed to other users",
      { rootDir },
    );
  const machine = machineInfo(rootDir);
  const metrics = createDaemonMetrics(config.metricFlags, signal);
  const tracer =
    settings.tracing === undefined
      ? undefined
      : await startTracing({ service: "orchlet", configuration: settings.tracing, logger, signal });
  const runtime = connectRuntime({
    endpoint: settings.containerRuntimeEndpoint,
    imageEndpoint: settings.imageServiceEndpoint,
    timeoutMs: settings.runtimeRequestTimeout,
  });
  const cri = tracer === undefined ? runtime : tracedCri(runtime, tracer);
  return { config, clock: systemClock, logger, signal, paths, mayMount, machine, metrics, tracer, cri };
}

/** Makes the client and what follows objects with it; undefined for an agent on its own. Nothing is watched yet. */
export function connectApi({ config, logger, metrics }: AgentHost): AgentApi | undefined {
  const { api, nodeName, settings } = config;
  if (api === undefined) return undefined;
  const client = createClient({
    ...api,
    userAgent: "orchlet/v1.27",
    qps: settings.orchAPIQPS,
    burst: settings.orchAPIBurst,
    logger,
    metrics: restClientMetrics(metrics),
  });
  return {
    client,
    events: createEventRecorder(client.with({ qps: settings.eventRecordQPS, burst: settings.eventBurst }), {
      component: "orchlet",
      host: nodeName,
      logger,
    }),
    services: createInformer(client, core.services, { logger }),
    runtimeClasses: createInformer(client, nodeApi.runtimeClasses, { logger }),
    pods: podInformer(client, nodeName, logger),
  };
}
