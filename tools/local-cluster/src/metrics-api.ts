import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { apiRequest } from "./api-probe.ts";
import { applyObject } from "./apply-object.ts";
import type { Layout } from "./layout.ts";
import { metricsAccessObjects, metricsApiObjects, metricsApiServices } from "./metrics-objects.ts";
import { isLoopback, type MetricsServerState } from "./state.ts";

interface ApplyTarget {
  readonly files: Layout;
  /** Port of the API server. */
  readonly port: number;
  /** Name of the client certificate to use. */
  readonly as: string;
}

/** Gives the metrics server its rights. Idempotent. @throws Error with the server's answer when that fails */
export async function allowMetricsServer({ files, port, as }: ApplyTarget): Promise<void> {
  for (const { path, object } of metricsAccessObjects) await applyObject(files, port, { path, object, as });
}

/**
 * Lets the API server serve the metrics API through the metrics server. Idempotent.
 *
 * @throws Error with the server's answer when that fails
 */
export async function registerMetricsApi(
  { files, port, as }: ApplyTarget,
  { address: ip, port: to }: MetricsServerState,
): Promise<void> {
  const address = isLoopback(ip)
    ? ({ type: "externalName", name: ip, port: to } as const)
    : ({ type: "endpoints", ip, port: to } as const);
  const caPem = readFileSync(files.certificate("ca").certFile);
  for (const { path, object } of metricsApiObjects(address, caPem))
    await applyObject(files, port, { path, object, as });
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

/** The API server looks at an APIService that was not available every 30 s. */
const availableMs = 60_000;

/** Resolves when the API server can reach the metrics server. @throws Error after a minute, with the API server's reason */
export async function metricsApiAvailable({ files, port, as }: ApplyTarget): Promise<void> {
  for (const path of metricsApiServices) {
    for (const until = Date.now() + availableMs; ; ) {
      const { body } = await apiRequest(files, port, { method: "GET", path, as });
      const { status } = JSON.parse(body) as { readonly status?: { readonly conditions?: readonly Condition[] } };
      const condition = status?.conditions?.find(({ type }) => type === "Available");
      if (condition?.status === "True") break;
      if (Date.now() >= until) throw new Error(`${path} is not available: ${condition?.message ?? body}`);
      await sleep(50);
    }
  }
}
