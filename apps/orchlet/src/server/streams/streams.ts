import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { core } from "@orchernetes/api";
import { type GuardOptions, guard, respond, targetOf } from "@orchernetes/component";
import { type CriClient, isCriError } from "@orchernetes/cri";
import { type BridgedSession, bridgedProtocol, openWebSocketBridge } from "@orchernetes/cri/streaming";
import { type HttpHandler, messageOf } from "@orchernetes/kernel";
import type { PodLookup } from "../containers/pod-lookup.ts";
import { HttpError } from "../requests/http-error.ts";
import { pathParts, requireMethod } from "../requests/methods.ts";
import { proxyStream } from "./streaming.ts";

/** What upgraded connections (exec, attach and port-forward) need. */
export interface StreamOptions {
  readonly access: GuardOptions;
  /** Counts the requests. */
  readonly measured: (handler: HttpHandler) => HttpHandler;
  readonly lookup: PodLookup;
  readonly cri: CriClient;
  /** Whether debugging handlers are enabled; if not, streams are rejected with 405. */
  readonly enabled: boolean;
  /** Closes a stream without data in either direction after this time, in milliseconds; 0 for never. */
  readonly idleMs: number;
}

/**
 * Creates a listener for `upgrade` events that authorizes the request and joins it with the runtime's streaming server.
 */
export function createUpgradeListener(
  options: StreamOptions,
): (request: unknown, socket: Duplex, head: Buffer) => void {
  const { access, measured, enabled, idleMs } = options;
  return (request, socket, head) => {
    if (!(request instanceof IncomingMessage)) {
      socket.destroy();
      return;
    }
    socket.on("error", () => socket.destroy());
    const response = new ServerResponse(request);
    response.assignSocket(socket as Parameters<ServerResponse["assignSocket"]>[0]);
    response.shouldKeepAlive = false;
    response.on("finish", () => endSoon(socket));
    const stream: HttpHandler = async () => {
      try {
        if (!enabled) throw new HttpError(405, "Debug endpoints are disabled.");
        const { path, query } = targetOf(request);
        requireMethod(request, path);
        const { url, session } = await streamSession(options, path, query);
        const protocol = bridgedProtocol(session.kind, request.headers);
        const bridge = protocol && (await openWebSocketBridge(url.href, session, protocol));
        response.detachSocket(socket as Parameters<ServerResponse["detachSocket"]>[0]);
        if (bridge === undefined) return await proxyStream({ request, client: socket, head, url, idleMs });
        if (idleMs > 0 && socket instanceof Socket) socket.setTimeout(idleMs, () => socket.destroy());
        await bridge.serve({ request, socket, head });
      } catch (error) {
        if (response.socket === null) return void socket.destroy();
        const { status, headers } = rejectionOf(error);
        respond(request, response, status, headers, messageOf(error));
      }
    };
    void Promise.resolve(measured(guard(access, stream))(request, response)).catch(() => socket.destroy());
  };
}

/** How a stream is rejected: with plain text, as in the original, because clients show it after "unable to upgrade connection". */
function rejectionOf(error: unknown): { readonly status: number; readonly headers: Readonly<Record<string, string>> } {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  if (error instanceof HttpError) return { status: error.status, headers };
  if (isCriError(error, "NotFound")) return { status: 404, headers };
  // The runtime keeps each session that nobody uses for a minute.
  if (isCriError(error, "ResourceExhausted")) return { status: 429, headers: { ...headers, "retry-after": "60" } };
  return { status: 500, headers };
}

/** How long a client whose upgrade was rejected may take to close its connection, in milliseconds. */
const lingerMs = 5000;

/** Closes a connection whose client may not do so: Node.js has no time limit for connections that ask for an upgrade. */
function endSoon(socket: Duplex): void {
  socket.end();
  // Bytes that are left unread reset the connection, and the response may be lost.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once("close", () => clearTimeout(timer));
}

/** The worker and container for `namespace/pod/container` or `namespace/pod/uid/container`. @throws HttpError 404 */
export function containerTarget(lookup: PodLookup, parts: readonly string[]) {
  const [namespace = "", name = "", third = "", fourth] = parts;
  const worker = lookup.pod(namespace, name, fourth === undefined ? undefined : third);
  return { worker, containerName: fourth ?? third };
}

/** A session of the runtime, and its URL, which can be used once. */
interface StreamSession {
  readonly url: URL;
  readonly session: BridgedSession;
}

/** The session of a request, which the runtime creates. @throws HttpError; CriError */
async function streamSession(options: StreamOptions, path: string, query: URLSearchParams): Promise<StreamSession> {
  const [area, ...parts] = pathParts(path);
  if (area === "portForward" && (parts.length === 2 || parts.length === 3))
    return { url: await portForwardUrl(options, parts, query), session: { kind: "portforward" } };
  if ((area === "exec" || area === "attach") && (parts.length === 3 || parts.length === 4))
    return containerSession(options, area, parts, query);
  throw new HttpError(404, "404 page not found");
}

async function portForwardUrl(
  { lookup, cri }: StreamOptions,
  [namespace = "", name = "", uid]: readonly string[],
  query: URLSearchParams,
): Promise<URL> {
  const worker = lookup.pod(namespace, name, uid);
  const port = query.getAll("port").map(Number);
  if (port.some((number) => !Number.isInteger(number) || number < 1 || number > 65535))
    throw new HttpError(400, "invalid port: want a number from 1 to 65535");
  const { url } = await cri.runtime.portForward({ podSandboxId: await lookup.sandbox(worker), port });
  return new URL(url);
}

async function containerSession(
  { lookup, cri }: StreamOptions,
  area: "exec" | "attach",
  parts: readonly string[],
  query: URLSearchParams,
): Promise<StreamSession> {
  const on = (name: string) => ["1", "true", ""].includes(query.get(name) ?? "0");
  const { worker, containerName } = containerTarget(lookup, parts);
  const { id: containerId } = await lookup.runningContainer(worker, containerName);
  const tty = on("tty");
  const streams = { stdin: on("input"), stdout: on("output"), stderr: on("error") && !tty };
  if (!streams.stdin && !streams.stdout && !streams.stderr)
    throw new HttpError(400, "you must specify at least 1 of stdin, stdout, stderr");
  if (area === "exec") {
    const request = { containerId, cmd: query.getAll("command"), tty, ...streams };
    return { url: new URL((await cri.runtime.exec(request)).url), session: { kind: "exec", request } };
  }
  const request = { containerId, tty: ttyOf(worker.pod, containerName), ...streams };
  return { url: new URL((await cri.runtime.attach(request)).url), session: { kind: "attach", request } };
}

const ttyOf = (pod: core.Pod | undefined, name: string): boolean =>
  [...(pod?.spec.containers ?? []), ...(pod?.spec.ephemeralContainers ?? [])].find((c) => c.name === name)?.tty ??
  false;
