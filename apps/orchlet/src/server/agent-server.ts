import { PeerCertificates } from "@orchernetes/auth";
import type { Client } from "@orchernetes/client";
import {
  createPprofHandler,
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
import type { Clock, HttpHandler, Logger } from "@orchernetes/kernel";
import type { CertificatePair, Followed } from "@orchernetes/tls";
import { type Tracer, tracedHandler } from "@orchernetes/tracing";
import { PAIR_NAME } from "../flags/serving.ts";
import type { MachineInfo } from "../node/machine-info.ts";
import type { PodManager } from "../pods/pod-manager.ts";
import type { RuntimeReader } from "../runtime/runtime-reader.ts";
import { accessOptions } from "./access.ts";
import { type AgentAppOptions, createAgentApp } from "./agent-app.ts";
import { agentPages } from "./agent-pages.ts";
import { serveContainerLogs } from "./container-logs.ts";
import { HttpError } from "./http-error.ts";
import { createPodLookup, type PodLookup } from "./pod-lookup.ts";
import { createIsRunning } from "./running-containers.ts";
import { containerTarget, createUpgradeListener } from "./streams.ts";

/** The settings of the server and the components whose state it serves. */
export interface AgentServerOptions {
  /** The part of the configuration that the server uses. */
  readonly config: {
    readonly settings: OrchletConfiguration;
    readonly nodeName: string;
    readonly rootDir: string;
    readonly certDir: string;
  };
  readonly client: Client | undefined;
  /** The serving certificate if the cluster issues it; else it is that of the configuration's files, or of `certDir`. */
  readonly certificate: Followed<CertificatePair | undefined> | undefined;
  readonly cri: CriClient;
  readonly manager: PodManager;
  readonly reader: RuntimeReader;
  readonly machine: MachineInfo;
  readonly metrics: Metrics;
  /** Traces requests; undefined if tracing is not configured. */
  readonly tracer: Tracer | undefined;
  readonly health: Health;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * Starts the agent's secure server (port 10250 by default): pods, logs, exec, attach, port forwarding, metrics and
 * statistics. Every request is authenticated, and authorized as a request for the node. Changed certificates are taken over
 * without a restart; TLS handshakes fail while the cluster has not issued the first one.
 *
 * @throws TlsMaterialError if certificate files cannot be used; Error if the address cannot be listened on
 */
export async function createAgentServer(options: AgentServerOptions): Promise<SecureServing> {
  const { config, cri, manager, reader, tracer, logger, signal } = options;
  const { settings, nodeName } = config;
  const { clientCAFile } = settings.authentication.x509;
  const ca = await followCaFile(clientCAFile, { logger, signal });
  const peers = new PeerCertificates(() => ca.current().certificates, options.clock);
  const access = accessOptions({ settings, nodeName, client: options.client, peers, logger, clock: options.clock });
  const lookup = createPodLookup(manager, reader);
  const app = createAgentApp({
    pages: agentPages({ ...options, ...config }),
    health: options.health,
    pprof:
      settings.enableDebuggingHandlers && settings.enableProfilingHandler
        ? createPprofHandler({ contention: settings.enableContentionProfiling })
        : undefined,
    debug: settings.enableDebuggingHandlers ? debugHandlers(options, lookup) : undefined,
    logger,
  });
  const guarded = guard(access, untilClosed(expressHandler(app)));
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
      lookup,
      cri,
      enabled: settings.enableDebuggingHandlers,
      idleMs: settings.streamingConnectionIdleTimeout,
    }),
  );
  logger.info("Starting to listen", { address: serving.address, port: serving.port });
  return serving;
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
      const output = Buffer.concat([stdout, stderr]).toString("utf8");
      if (exitCode !== 0) throw new HttpError(500, `command exited with ${exitCode}: ${output}`);
      respond(request, response, 200, { "content-type": "text/plain" }, output);
    },
  };
}

/** Makes a handler resolve when its response is closed, so that the span of a request covers a streamed response. */
const untilClosed =
  (handler: HttpHandler): HttpHandler =>
  (request, response) =>
    new Promise((resolve, reject) => {
      response.once("close", resolve);
      Promise.resolve(handler(request, response)).catch(reject);
    });
