import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetrics } from "@orchernetes/component";
import { expect, test } from "vitest";
import { addLogMetrics } from "./log-metrics.ts";

test("the logs of containers are measured when the page is read, and deleted logs are not shown", async () => {
  const dir = mkdtempSync(join(tmpdir(), "o8s-logs-"));
  try {
    mkdirSync(join(dir, "u1/c"), { recursive: true });
    writeFileSync(join(dir, "u1/c/0.log"), "x".repeat(100_000));
    const metrics = createMetrics();
    let pods = [{ identity: { uid: "u1", name: "web", namespace: "n" }, containers: ["c", "none"] }];
    const refresh = addLogMetrics(
      metrics,
      () => pods,
      ({ uid }) => join(dir, uid),
    );
    const lines = async () => {
      await refresh();
      return metrics
        .render()
        .split("\n")
        .filter((line) => line.startsWith("orchlet_"));
    };
    const [line = "", ...others] = await lines();
    expect(line).toMatch(
      /^orchlet_container_log_filesystem_used_bytes\{uid="u1",namespace="n",pod="web",container="c"\} /,
    );
    expect(Number(line.split(" ").at(-1))).toBeGreaterThanOrEqual(100_000);
    expect(others).toEqual([]);
    pods = [];
    expect(await lines()).toEqual([]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
