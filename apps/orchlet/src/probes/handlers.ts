import http from "node:http";
import https from "node:https";
import { connect, type LookupFunction } from "node:net";
import type { core } from "@orchernetes/api";
import type { CriClient } from "@orchernetes/cri";
import { isCriError } from "@orchernetes/cri";
import { messageOf, onAbort } from "@orchernetes/kernel";
import type { CheckResult, CheckTarget } from "./check.ts";
import { checkGrpcHealth } from "./grpc-health.ts";
import { limitRead } from "./read-limit.ts";
import { createSharedLookup } from "./shared-lookup.ts";

const success: CheckResult = Object.freeze({ outcome: "success" });
const failure = (message: string): CheckResult => ({ outcome: "failure", message });
/** Maximum size of a response body that is read, in bytes. As in the original. */
const maxBodyBytes = 10 * 1024;
/** What OpenSSL says of an answer that does not begin as one of TLS. */
const notTls = /SSL routines:.*:(wrong version number|packet length too long)/;
/** Maximum length of a system error in a message, in characters. */
const messageBytes = 256;
/** Maximum delay of timers in seconds; a timer with a longer delay would expire at once. */
const maxTimeoutSeconds = 2_147_483;
const userAgents = { probe: "orch-probe/1.27", hook: "orch-lifecycle/1.27" } as const;
/** What the error of a request over HTTPS ends with if the server answered in plain HTTP; in the original's words. */
export const plainHttpAnswer = "http: server gave HTTP response to HTTPS client";
const sharedLookup = createSharedLookup();

/** Time limit and connections of a check. */
export interface CheckOptions {
  readonly cri: CriClient;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  /** Whether an HTTP request is one of a hook, for which every response is a success, whatever its status. @default false */
  readonly anyStatus?: boolean;
  /** Resolves host names. @default one that all probes of the process share */
  readonly lookup?: LookupFunction;
}

/** Performs one check with the handler of a probe or lifecycle hook. @throws only the signal's reason */
export async function runHandler(
  handler: core.ProbeHandler,
  target: CheckTarget,
  options: CheckOptions,
): Promise<CheckResult> {
  const timeoutSeconds = Math.min(options.timeoutSeconds, maxTimeoutSeconds);
  const timeoutMs = timeoutSeconds * 1000;
  const { lookup = sharedLookup, signal, anyStatus = false } = options;
  const { exec, httpGet, tcpSocket, grpc } = handler;
  try {
    if (exec !== undefined) return await runExec(exec.command ?? [], target, { ...options, timeoutSeconds });
    if (httpGet !== undefined) return await checkHttp(httpGet, target, { timeoutMs, signal, lookup, anyStatus });
    if (tcpSocket !== undefined) {
      const port = portOf(tcpSocket.port, target.container);
      return await checkTcp({ host: tcpSocket.host || target.podIP, port, lookup }, { timeoutMs, signal });
    }
    if (grpc !== undefined)
      return await checkGrpcHealth(target.podIP, grpc.port, grpc.service ?? "", { timeoutMs, signal });
    return { outcome: "unknown", message: "no handler is given" };
  } catch (error) {
    options.signal.throwIfAborted();
    return { outcome: "unknown", message: messageOf(error) };
  }
}

async function runExec(
  command: readonly string[],
  { containerId }: CheckTarget,
  {
    cri,
    timeoutSeconds,
    signal,
  }: { readonly cri: CriClient; readonly timeoutSeconds: number; readonly signal: AbortSignal },
): Promise<CheckResult> {
  try {
    const { stdout, stderr, exitCode } = await cri.runtime.execSync(
      { containerId, cmd: [...command], timeout: timeoutSeconds },
      { signal },
    );
    if (exitCode === 0) return success;
    return failure(Buffer.concat([stdout, stderr]).toString("utf8", 0, maxBodyBytes));
  } catch (error) {
    if (isCriError(error, "DeadlineExceeded")) return failure(`command ${JSON.stringify(command.join(" "))} timed out`);
    throw error;
  }
}

/** Resolves a port by number or by its name in the container. @throws Error if there is no such port */
function portOf(port: number | string, container: core.Container): number {
  const number = typeof port === "number" ? port : container.ports?.find(({ name }) => name === port)?.containerPort;
  const value = number ?? Number(port);
  if (Number.isInteger(value) && value > 0 && value < 65536) return value;
  throw new Error(`couldn't find port: "${port}"`);
}

/** Maximum number of requests of a check, as in the original. */
const maxRequests = 10;
/** Status codes whose location is followed, as in Kubernetes. */
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a GET request and follows redirects within the host. Any status from 200 to 399 is a success; one of a redirect that is not
 * followed has a warning.
 */
function checkHttp(
  action: core.HTTPGetAction,
  { container, podIP }: CheckTarget,
  { timeoutMs, ...options }: Omit<GetOptions, "timeout"> & { readonly timeoutMs: number },
): Promise<CheckResult> {
  const scheme = (action.scheme ?? "HTTP").toLowerCase();
  const host = action.host || podIP;
  const port = portOf(action.port, container);
  const path = action.path?.startsWith("/") ? action.path : `/${action.path ?? ""}`;
  const agent = options.anyStatus ? userAgents.hook : userAgents.probe;
  const headers: Record<string, string | string[]> = { "user-agent": agent, accept: "*/*", connection: "close" };
  for (const { name, value } of action.httpHeaders ?? []) {
    const key = name.toLowerCase();
    const before = key === "user-agent" || key === "accept" ? undefined : headers[key];
    headers[key] = before === undefined ? value : [before, value].flat();
  }
  const bracketed = host.includes(":") ? `[${host}]` : host;
  const url = new URL(`${scheme}://${bracketed}:${port}${path}`);
  // The time limit applies to all redirects together.
  return get(url, headers, { timeout: AbortSignal.timeout(timeoutMs), ...options }, maxRequests - 1);
}

interface GetOptions {
  readonly timeout: AbortSignal;
  readonly signal: AbortSignal;
  readonly lookup: LookupFunction;
  readonly anyStatus: boolean;
}

/** The result of a response that is not followed. */
function resultOf(status: number, body: string, anyStatus: boolean): CheckResult {
  if (anyStatus || (status >= 200 && status < 300)) return success;
  if (status >= 300 && status < 400)
    return { outcome: "success", warning: `Probe terminated redirects, Response body: ${body}` };
  return failure(`HTTP probe failed with statuscode: ${status}`);
}

/** Where a response redirects to: another URL of this host, or why that cannot be followed; undefined for all other responses. */
function redirectOf(
  { statusCode = 0, headers: { location } }: http.IncomingMessage,
  url: URL,
): URL | string | undefined {
  if (!redirectStatuses.has(statusCode) || location === undefined) return undefined;
  if (!URL.canParse(location, url))
    return `Get "${url.href}": failed to parse Location header ${JSON.stringify(location.slice(0, messageBytes))}`;
  const next = new URL(location, url);
  // A redirect to another host shows that this host works; the other host is not probed.
  if (next.hostname !== url.hostname) return undefined;
  if (/^https?:$/.test(next.protocol)) return next;
  return `Get "${next.href}": unsupported protocol scheme "${next.protocol.slice(0, -1)}"`;
}

function get(
  url: URL,
  headers: Readonly<Record<string, string | string[]>>,
  options: GetOptions,
  redirects: number,
): Promise<CheckResult> {
  const { timeout, signal, lookup, anyStatus } = options;
  return new Promise((resolve) => {
    const failed = (error: Error) => {
      const why = timeout.aborted
        ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
        : dialText(error);
      resolve(failure(`Get "${url.href}": ${why}`));
    };
    const client = url.protocol === "https:" ? https : http;
    const request = client.request(
      url,
      {
        method: "GET",
        headers,
        agent: false,
        lookup,
        signal: AbortSignal.any([timeout, signal]),
        // Probes check that the server responds, and do not verify its certificate, as documented for HTTPS probes.
        ...(url.protocol === "https:" ? { rejectUnauthorized: false } : {}),
      },
      (response) => {
        const status = response.statusCode ?? 0;
        const next = redirectOf(response, url);
        if (next !== undefined) {
          // The rest of the response is not read: it may be endless.
          response.on("error", failed).destroy();
          if (typeof next === "string") return resolve(failure(next));
          if (redirects > 0) return resolve(get(next, headers, options, redirects - 1));
          return resolve(failure(`Get "${next.href}": stopped after ${maxRequests} redirects`));
        }
        const body: Buffer[] = [];
        let seen = 0;
        response.on("data", (chunk: Buffer) => {
          seen += chunk.length;
          body.push(chunk);
          if (seen > maxBodyBytes) response.destroy();
        });
        const done = () => resolve(resultOf(status, Buffer.concat(body).toString("utf8", 0, maxBodyBytes), anyStatus));
        // Whoever redirects works, also if the rest of the response is lost.
        const isEnough = anyStatus || (status >= 300 && status < 400);
        if (isEnough) request.off("error", failed).on("error", done);
        response.on("error", isEnough ? done : failed);
        response.on("end", done).on("close", done);
      },
    );
    request.on("error", failed);
    const endReadLimit = limitRead(
      () => request.socket,
      (message) => request.destroy(new Error(message)),
    );
    request.on("close", endReadLimit);
    // For an unrequested upgrade, node:http emits no response; nothing else would end the check.
    request.on("upgrade", ({ statusCode }, socket) => {
      socket.destroy();
      resolve(failure(`HTTP probe failed with statuscode: ${statusCode}`));
    });
    request.end();
  });
}

/** Checks that a TCP connection can be established. @throws the signal's reason */
function checkTcp(
  { host, port, lookup }: { readonly host: string; readonly port: number; readonly lookup: LookupFunction },
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<CheckResult> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup });
    const undoAbort = onAbort(signal, () => {
      socket.destroy();
      reject(signal.reason);
    });
    const end = (result: CheckResult) => {
      undoAbort();
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(timeoutMs, () => end(failure(`dial tcp ${host}:${port}: i/o timeout`)));
    socket.once("connect", () => end(success));
    socket.once("error", (error) => end(failure(dialText(error))));
  });
}

/** The error of a connection in the original's words. */
function dialText(error: Error): string {
  const { code, address, port } = error as Error & { code?: string; address?: string; port?: number };
  const at = address === undefined ? "" : `dial tcp ${address.includes(":") ? `[${address}]` : address}:${port}: `;
  switch (code) {
    case "ECONNREFUSED":
      return `${at}connect: connection refused`;
    case "EHOSTUNREACH":
      return `${at}connect: no route to host`;
    case "ETIMEDOUT":
      return `${at}i/o timeout`;
    case "ECONNRESET":
      return "read: connection reset by peer";
    default:
      return notTls.test(error.message) ? plainHttpAnswer : error.message.slice(0, messageBytes);
  }
}
