import { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
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
  metricsContentType,
  refuseBadHttp,
  respond,
  type SecureServing,
  type Tracer,
  targetOf,
  tracedHandler,
} from "@orchernetes/component";
import type { OrchletConfiguration } from "@orchernetes/config";
import { type CriClient, isCriError } from "@orchernetes/cri";
import type { Clock, HttpHandler, Logger } from "@orchernetes/kernel";
import { PAIR_NAME } from "../flags/serving.ts";
import type { MachineInfo } from "../node/machine-info.ts";
import type { PodManager } from "../pods/pod-manager.ts";
import type { RuntimeReader } from "../runtime/runtime-reader.ts";
import { accessOptions } from "./access.ts";
import { serveContainerLogs } from "./container-logs.ts";
import { HttpError, respondError } from "./http-error.ts";
import { requireMethod } from "./methods.ts";
import { pathParts } from "./path-parts.ts";
import { createPodLookup } from "./pod-lookup.ts";
import { createIsRunning } from "./running-containers.ts";
import { resourceMetrics, statsSummary } from "./stats.ts";
import { proxyStream } from "./streaming.ts";

export interface AgentServerOptions {
  /** What the server needs of the configuration. */
  readonly config: {
    readonly settings: OrchletConfiguration;
    readonly nodeName: string;
    readonly rootDir: string;
    readonly certDir: string;
  };
  readonly client: Client | undefined;
  readonly cri: CriClient;
  readonly manager: PodManager;
  readonly reader: RuntimeReader;
  readonly machine: MachineInfo;
  readonly metrics: Metrics;
  /** Records the requests. */
  readonly tracer: Tracer | undefined;
  readonly health: Health;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * The agent's secure port: pods, logs, exec, attach, port forwarding, metrics, statistics. Every request is authenticated and
 * authorized as one about the node.
 *
 * @throws TlsMaterialError for faulty certificate files; Error when the address cannot be listened on
 */
export async function createAgentServer(options: AgentServerOptions): Promise<SecureServing> {
  const { config, cri, manager, reader, tracer, logger, signal } = options;
  const { settings, nodeName } = config;
  const { clientCAFile } = settings.authentication.x509;
  const ca = await followCaFile(clientCAFile, { logger, signal });
  const peers = new PeerCertificates(() => ca.current().certificates, options.clock);
  const access = accessOptions({ settings, nodeName, client: options.client, peers, logger, clock: options.clock });
  const lookup = createPodLookup(manager, reader);
  const isRunning = createIsRunning(reader, options.clock);
  const startTime = options.clock.now().toISOString();
  const debug = settings.enableDebuggingHandlers;

  const pages: Readonly<Record<string, () => Promise<readonly [string, string]> | readonly [string, string]>> = {
    "/pods": () => [
      "application/json",
      podList(
        manager
          .list()
          .flatMap(({ pod, status }) => (pod === undefined ? [] : [{ ...pod, status: status ?? pod.status }])),
      ),
    ],
    "/runningpods": () => [
      "application/json",
      podList(
        manager
          .list()
          .filter(({ status }) => status?.phase === "Running")
          .flatMap(({ pod, status }) => (pod === undefined ? [] : [{ ...pod, status: status ?? pod.status }])),
      ),
    ],
    "/metrics": () => [metricsContentType, options.metrics.render()],
    "/metrics/resource": async () => [metricsContentType, await resourceMetrics(cri)],
    "/metrics/probes": () => [metricsContentType, options.metrics.render()],
    "/stats/summary": async () => [
      "application/json",
      JSON.stringify(
        await statsSummary({
          cri,
          nodeName,
          machine: options.machine,
          rootDir: config.rootDir,
          startTime,
          now: options.clock.now(),
        }),
      ),
    ],
    "/configz": () => ["application/json", JSON.stringify({ orchletconfig: settings })],
    "/spec": () => [
      "application/json",
      JSON.stringify({
        num_cores: options.machine.cpus,
        memory_capacity: options.machine.memoryBytes,
        machine_id: options.machine.machineID,
        system_uuid: options.machine.systemUUID,
        boot_id: options.machine.bootID,
      }),
    ],
  };

  const pprof =
    debug && settings.enableProfilingHandler
      ? createPprofHandler({ contention: settings.enableContentionProfiling })
      : undefined;
  const handler: HttpHandler = async (request, response) => {
    const { path, query } = targetOf(request);
    try {
      requireMethod(request, path);
      if (pprof !== undefined && (await pprof(request, response))) return;
      if (await options.health.handle(request, response)) return;
      const page = pages[path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path];
      if (page !== undefined && Object.hasOwn(pages, path.replace(/\/$/, ""))) {
        const [type, body] = await page();
        return respond(request, response, 200, { "content-type": type }, body);
      }
      const [area, ...parts] = pathParts(path);
      if (debug && area === "containerLogs" && parts.length === 3) {
        const [namespace = "", pod = "", container = ""] = parts;
        return await serveContainerLogs(
          { namespace, pod, container, query },
          { lookup, isRunning, now: () => options.clock.now() },
          request,
          response,
        );
      }
      if (debug && area === "run" && parts.length >= 3) return await runCommand(parts, query, request, response);
      if (debug && ["exec", "attach", "portForward"].includes(area ?? ""))
        throw new HttpError(400, "you must specify at least 1 of stdin, stdout, stderr, and upgrade the connection");
      respond(request, response, 404, { "content-type": "text/plain; charset=utf-8" }, "404 page not found\n");
    } catch (error) {
      if (!(error instanceof HttpError)) logger.error(error, "Request failed", { path });
      if (response.headersSent) response.destroy();
      else respondError(request, response, error);
    }
  };

  const runCommand = async (
    parts: readonly string[],
    query: URLSearchParams,
    ...[request, response]: Parameters<HttpHandler>
  ): Promise<void> => {
    const { worker, containerName } = targetOfParts(parts);
    const container = await lookup.runningContainer(worker, containerName);
    const cmd = (query.get("cmd") ?? "").split(" ").filter((word) => word !== "");
    const { stdout, stderr, exitCode } = await cri.runtime.execSync({ containerId: container.id, cmd });
    const output = Buffer.concat([stdout, stderr]).toString("utf8");
    if (exitCode !== 0) throw new HttpError(500, `command exited with ${exitCode}: ${output}`);
    respond(request, response, 200, { "content-type": "text/plain" }, output);
  };

  /** `ns/pod/container` or `ns/pod/uid/container` */
  const targetOfParts = (parts: readonly string[]) => {
    const [namespace = "", name = "", third = "", fourth] = parts;
    const worker = lookup.pod(namespace, name, fourth === undefined ? undefined : third);
    return { worker, containerName: fourth ?? third };
  };

  /** Address of the runtime's streaming server for a request. */
  const streamUrl = async (path: string, query: URLSearchParams): Promise<URL> => {
    const [area, ...parts] = pathParts(path);
    const on = (name: string) => ["1", "true", ""].includes(query.get(name) ?? "0");
    if (area === "portForward" && (parts.length === 2 || parts.length === 3)) {
      const [namespace = "", name = "", uid] = parts;
      const worker = lookup.pod(namespace, name, uid);
      const port = query.getAll("port").map(Number);
      if (port.some((number) => !Number.isInteger(number) || number < 1 || number > 65535))
        throw new HttpError(400, "invalid port: want a number from 1 to 65535");
      const { url } = await cri.runtime.portForward({ podSandboxId: await lookup.sandbox(worker), port });
      return new URL(url);
    }
    if ((area === "exec" || area === "attach") && (parts.length === 3 || parts.length === 4)) {
      const { worker, containerName } = targetOfParts(parts);
      const { id: containerId } = await lookup.runningContainer(worker, containerName);
      const tty = on("tty");
      const streams = { stdin: on("input"), stdout: on("output"), stderr: on("error") && !tty };
      if (!streams.stdin && !streams.stdout && !streams.stderr)
        throw new HttpError(400, "you must specify at least 1 of stdin, stdout, stderr");
      const { url } =
        area === "exec"
          ? await cri.runtime.exec({ containerId, cmd: query.getAll("command"), tty, ...streams })
          : await cri.runtime.attach({ containerId, tty: ttyOf(worker.pod, containerName), ...streams });
      return new URL(url);
    }
    throw new HttpError(404, "404 page not found");
  };

  const guarded = guard(access, handler);
  const serving = await createSecureServing(
    {
      bindAddress: settings.address,
      port: settings.port,
      tls: {
        certFile: settings.tlsCertFile,
        keyFile: settings.tlsPrivateKeyFile,
        certDir: config.certDir,
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
  serving.server.on("upgrade", (request: unknown, socket: Duplex, head: Buffer) => {
    if (!(request instanceof IncomingMessage)) return socket.destroy();
    socket.on("error", () => socket.destroy());
    const response = new ServerResponse(request);
    response.assignSocket(socket as Parameters<ServerResponse["assignSocket"]>[0]);
    response.shouldKeepAlive = false;
    response.on("finish", () => socket.end());
    const stream: HttpHandler = async () => {
      try {
        if (!debug) throw new HttpError(405, "debugging handlers are disabled");
        const { path, query } = targetOf(request);
        requireMethod(request, path);
        const url = await streamUrl(path, query);
        response.detachSocket(socket as Parameters<ServerResponse["detachSocket"]>[0]);
        await proxyStream({ request, client: socket, head, url, idleMs: settings.streamingConnectionIdleTimeout });
      } catch (error) {
        if (response.socket === null) return void socket.destroy();
        const missing = isCriError(error, "NotFound");
        respondError(request, response, missing ? new HttpError(404, error.message) : error);
      }
    };
    void Promise.resolve(guard(access, stream)(request, response)).catch(() => socket.destroy());
  });
  logger.info("Starting to listen", { address: serving.address, port: serving.port });
  return serving;
}

const podList = (items: readonly object[]): string =>
  JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: {}, items });

const ttyOf = (pod: PodWorkerPod, name: string): boolean =>
  [...(pod?.spec.containers ?? []), ...(pod?.spec.ephemeralContainers ?? [])].find((c) => c.name === name)?.tty ??
  false;

type PodWorkerPod = ReturnType<PodManager["list"]>[number]["pod"];
