import { createMetrics } from "@orchernetes/component";
import { expect, test } from "vitest";
import { ContainerStartError } from "../types/start-error.ts";
import { measuredStarter } from "./measured-starter.ts";
import type { PodStarter } from "./pod-starter.ts";

test("starts of containers are counted by kind, and failures by reason", async () => {
  const metrics = createMetrics();
  const errors: unknown[] = [
    undefined,
    new ContainerStartError("ErrImagePull", "no"),
    new Error("odd"),
    new Error("x"),
  ];
  const starter = measuredStarter(
    {
      createSandbox: async () => undefined,
      async startContainer() {
        const error = errors.shift();
        if (error !== undefined) throw error;
        return "c1";
      },
    },
    metrics,
  );
  const start = (kind: string, signal = new AbortController().signal) =>
    starter.startContainer({ ref: { kind }, signal } as unknown as Parameters<PodStarter["startContainer"]>[0]);
  expect(await start("regular")).toBe("c1");
  await expect(start("init")).rejects.toThrow("no");
  await expect(start("ephemeral")).rejects.toThrow("odd");
  // An interrupted start is no failure.
  await expect(start("regular", AbortSignal.abort())).rejects.toThrow("x");
  const lines = metrics.render().split("\n");
  expect(lines.filter((line) => line.startsWith("orchlet_started_containers_"))).toEqual([
    'orchlet_started_containers_errors_total{container_type="init_container",code="ErrImagePull"} 1',
    'orchlet_started_containers_errors_total{container_type="ephemeral_container",code="RunContainerError"} 1',
    'orchlet_started_containers_total{container_type="container"} 2',
    'orchlet_started_containers_total{container_type="init_container"} 1',
    'orchlet_started_containers_total{container_type="ephemeral_container"} 1',
  ]);
});
