import { join } from "node:path";
import { PeerCertificates } from "@orchernetes/auth";
import type { Client } from "@orchernetes/client";
import {
  createSecureServing,
  endLostConnections,
  followCaFile,
  guard,
  type Health,
  type Metrics,
  refuseBadHttp,
  respond,
  type SecureServing,
} from "@orchernetes/component";
import type { OrchletConfiguration } from "@orchernetes/config";
import type { CriClient } from "@orchernetes/cri";
import { expressHandler } from "@orchernetes/daemon-server";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { CertificatePair, Followed } from "@orchernetes/tls";
import { type Tracer, tracedHandler } from "@orchernetes/tracing";
import { PAIR_NAME } from "../flags/serving.ts";
import type { MachineInfo } from "../node/machine-info.ts";
import type { PodManager } from "../pods/pod-manager.ts";
import type { RuntimeReader } from "../runtime/runtime-reader.ts";
import type { UsageSource } from "../stats/usage-source.ts";
import { type AgentAppOptions, createAgentApp } from "./agent-app.ts";
import { serveContainerLogs } from "./containers/container-logs.ts";
import { createPodLookup, type PodLookup } from "./containers/pod-lookup.ts";
import { createIsRunning } from "./containers/running-containers.ts";
import { checkpointHandler, healthHandler, operatorHandlers } from "./operator-handlers.ts";
import { debugPages, openPages } from "./pages/agent-pages.ts";
import { accessOptions } from "./requests/access.ts";
import { HttpError } from "./requests/http-error.ts";
import { measureRequests } from "./requests/request-metrics.ts";
import { untilClosed } from "./requests/until-closed.ts";
import { containerTarget, createUpgradeListener } from "./streams/streams.ts";

/** The settings of the server and the components whose state it serves. */
export interface AgentServerOptions {
  /** The part of the configuration that the server uses. */
  readonly config: {
    readonly settings: OrchletConfiguration;
    readonly nodeName: string;
    readonly rootDir: string;
    readonly certDir: string;
    readonly featureEnabled: (gate: string) => boolean;
  };
  readonly client: Client | undefined;
  /** The serving certificate if the cluster issues it; else it is that of the configuration's files, or of `certDir`. */
  readonly certificate: Followed<CertificatePair | undefined> | undefined;
  readonly cri: CriClient;
  readonly manager: PodManager;
  readonly reader: RuntimeReader;
  readonly machine: MachineInfo;
  readonly metrics: Metrics;
  /** Updates the metrics that are expensive to read, before the page is written. @default there are none */
  readonly refreshMetrics?: () => Promise<void>;
  /** Where statistics come from. */
  readonly usage: UsageSource;
  /** Traces requests; undefined if tracing is not configured. */
  readonly tracer: Tracer | undefined;
  readonly health: Health;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Changes the verbosity of the log; undefined where that is not possible. */
  readonly setVerbosity: ((level: number) => void) | undefined;
  /** Folder of the host's logs. @default "/var/log" */
  readonly logRoot?: string;
}

/**
 * Starts the agent's secure server (port 10250 by default): pods, logs, exec, attach, port forwarding, metrics and
 * statistics. Every request is authenticated, and authorized as a request for the node. Changed certificates are taken over
 * without a restart; TLS handshakes fail while the cluster has not issued the first one.
 *
 * @throws TlsMaterialError if certificate files cannot be used; Error if the address cannot be listened on
 */
export async function createAgentServer(options: AgentServerOptions): Promise<SecureServing> {
  const { config, cri, manager, reader, tracer, logger, signal, metrics, clock } = options;
  const { settings, nodeName } = config;
  const { clientCAFile } = settings.authentication.x509;
  const ca = await followCaFile(clientCAFile, { logger, signal });
  const peers = new PeerCertificates(() => ca.current().certificates, clock);
  const access = accessOptions({ settings, nodeName, client: options.client, peers, logger, clock });
  const lookup = createPodLookup(manager, reader);
  const app = createAgentApp(secureApp(options, lookup));
  const measured = measureRequests(metrics, clock, "readwrite");
  const guarded = measured(guard(access, untilClosed(expressHandler(app), clock)));
  const serving = await createSecureServing(
    {
      bindAddress: settings.address,
      port: settings.port,
      tls: {
        certFile: settings.tlsCertFile,
        keyFile: settings.tlsPrivateKeyFile,
        certDir: config.certDir,
        ...(options.certificate && { pair: options.certificate }),
        pairName: PAIR_NAME,
        cipherSuites: settings.tlsCipherSuites,
        minVersion: settings.tlsMinVersion,
        clientCaFiles: clientCAFile === "" ? [] : [clientCAFile],
      },
      logger,
      signal,
    },
    tracer === undefined ? guarded : tracedHandler(tracer, "orchlet", guarded),
  );
  endLostConnections(serving, ca, peers, logger);
  serving.server.on("clientError", refuseBadHttp);
  serving.server.on(
    "upgrade",
    createUpgradeListener({
      access,
      measured,
      lookup,
      cri,
      enabled: settings.enableDebuggingHandlers,
      idleMs: settings.streamingConnectionIdleTimeout,
    }),
  );
  logger.info("Starting to listen", { address: serving.address, port: serving.port });
  return serving;
}

/** What the secure port serves, according to the settings and gates. */
function secureApp(options: AgentServerOptions, lookup: PodLookup): AgentAppOptions {
  const { config, cri, reader, clock, logger, setVerbosity, logRoot } = options;
  const { settings, featureEnabled, rootDir } = config;
  const operators = operatorHandlers(settings, { setVerbosity, logRoot, queries: featureEnabled("NodeLogQuery") });
  const checkpoints = featureEnabled("ContainerCheckpoint")
    ? [checkpointHandler({ lookup, reader, cri, clock, folder: join(rootDir, "checkpoints") })]
    : [];
  const debugging = settings.enableDebuggingHandlers;
  return {
    pages: { ...openPages(options), ...(debugging && debugPages({ ...options, settings })) },
    first: [healthHandler(options.health), ...operators, ...checkpoints],
    debug: debugging ? debugHandlers(options, lookup) : undefined,
    logger,
  };
}

/** Handlers that read logs of containers and run commands in them. */
function debugHandlers({ cri, reader, clock }: AgentServerOptions, lookup: PodLookup): AgentAppOptions["debug"] {
  const isRunning = createIsRunning(reader, clock);
  return {
    containerLogs([namespace = "", pod = "", container = ""], query, request, response) {
      const deps = { lookup, isRunning, now: () => clock.now() };
      return serveContainerLogs({ namespace, pod, container, query }, deps, request, response);
    },
    async run(parts, query, request, response) {
      const { worker, containerName } = containerTarget(lookup, parts);
      const container = await lookup.runningContainer(worker, containerName);
      const cmd = (query.get("cmd") ?? "").split(" ").filter((word) => word !== "");
      const { stdout, stderr, exitCode } = await cri.runtime.execSync({ containerId: container.id, cmd });
      if (exitCode !== 0)
        throw new HttpError(
          500,
          `command '${cmd.join(" ")}' exited with ${exitCode}: ${Buffer.from(stderr).toString("utf8")}`,
        );
      respond(request, response, 200, { "content-type": "text/plain" }, Buffer.concat([stdout, stderr]));
    },
  };
}
