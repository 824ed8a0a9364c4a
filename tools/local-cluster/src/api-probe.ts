import { readFileSync } from "node:fs";
import https from "node:https";
import type { Layout } from "./layout.ts";

/** Calls the API server, or another daemon's secure port, as the administrator. */
export function apiGet(
  files: Layout,
  port: number,
  path: string,
  timeoutMs = 10_000,
): Promise<{ readonly status: number; readonly body: string }> {
  const { certFile, keyFile } = files.certificate("admin");
  return new Promise((resolve, reject) => {
    const request = https.get(
      {
        host: "127.0.0.1",
        port,
        path,
        ca: readFileSync(files.certificate("ca").certFile),
        cert: readFileSync(certFile),
        key: readFileSync(keyFile),
        agent: false,
        timeout: timeoutMs,
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
  });
}

interface NodeLike {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Whether the API server says that it is ready; throws while it cannot be reached. */
export async function isApiReady(files: Layout, port: number): Promise<boolean> {
  return (await apiGet(files, port, "/readyz")).status === 200;
}

/** Whether the daemon at the port says that it is healthy; throws while it cannot be reached. */
export async function isHealthy(files: Layout, port: number): Promise<boolean> {
  return (await apiGet(files, port, "/healthz")).status === 200;
}

/** Whether the node is registered and Ready. */
export async function isNodeReady(files: Layout, port: number, node: string): Promise<boolean> {
  const { status, body } = await apiGet(files, port, `/api/v1/nodes/${node}`);
  if (status !== 200) return false;
  const { status: nodeStatus } = JSON.parse(body) as NodeLike;
  return nodeStatus?.conditions?.some((c) => c.type === "Ready" && c.status === "True") === true;
}
