import { readFileSync } from "node:fs";
import https from "node:https";
import type { Layout } from "./layout.ts";

/** A request as a client whose certificate is among the cluster's. */
export interface SecureRequest {
  readonly method: "GET" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  /** Name of the client's certificate. @default "admin" */
  readonly as?: string;
  /** Name of the authority of the server's. @default "ca" */
  readonly authority?: string;
  /** Address of the server. @default 127.0.0.1 */
  readonly host?: string;
  /** @default 10 s */
  readonly timeoutMs?: number;
}

/** Calls the API server, or another secure port of this machine. */
export function apiRequest(
  files: Layout,
  port: number,
  asked: SecureRequest,
): Promise<{ readonly status: number; readonly body: string }> {
  const { method, path, body = "", contentType, as = "admin", authority = "ca", host = "127.0.0.1" } = asked;
  const { timeoutMs = 10_000 } = asked;
  const { certFile, keyFile } = files.certificate(as);
  return new Promise((resolve, reject) => {
    const request = https.request(
      {
        host,
        port,
        method,
        path,
        ca: readFileSync(files.certificate(authority).certFile),
        cert: readFileSync(certFile),
        key: readFileSync(keyFile),
        agent: false,
        timeout: timeoutMs,
        headers: { ...(contentType && { "content-type": contentType }), "content-length": Buffer.byteLength(body) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") }),
        );
        response.on("error", reject);
      },
    );
    request.on("timeout", () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    request.on("error", reject);
    request.end(body);
  });
}

/** Sends a GET to the API server, or to another daemon's secure port, as the administrator. */
export const apiGet = (files: Layout, port: number, path: string, host?: string): ReturnType<typeof apiRequest> =>
  apiRequest(files, port, { method: "GET", path, ...(host !== undefined && { host }) });

/** Whether etcd reports healthy; throws while it cannot be reached. */
export async function isEtcdHealthy(files: Layout, port: number): Promise<boolean> {
  const asked = { method: "GET", path: "/health", as: "apiserver-etcd-client", authority: "etcd-ca" } as const;
  return (await apiRequest(files, port, asked)).status === 200;
}

interface NodeLike {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Whether the API server says that it is ready; throws while it cannot be reached. */
export async function isApiReady(files: Layout, port: number): Promise<boolean> {
  return (await apiGet(files, port, "/readyz")).status === 200;
}

/** Whether the daemon at the port says that it is healthy; throws while it cannot be reached. @param host @default 127.0.0.1 */
export async function isHealthy(files: Layout, port: number, host?: string): Promise<boolean> {
  return (await apiGet(files, port, "/healthz", host)).status === 200;
}

/** Whether the orch-proxy whose metrics are at the port has put the services of the cluster into effect; throws while it cannot be reached. */
export async function areServicesServed(metricsPort: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal: AbortSignal.timeout(5000) });
  return /^orchproxy_sync_proxy_rules_last_timestamp_seconds [1-9]/m.test(await response.text());
}

/** Whether the node is registered and Ready. */
export async function isNodeReady(files: Layout, port: number, node: string): Promise<boolean> {
  const { status, body } = await apiGet(files, port, `/api/v1/nodes/${node}`);
  if (status !== 200) return false;
  const { status: nodeStatus } = JSON.parse(body) as NodeLike;
  return nodeStatus?.conditions?.some((c) => c.type === "Ready" && c.status === "True") === true;
}
