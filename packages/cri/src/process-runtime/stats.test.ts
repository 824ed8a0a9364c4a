import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { identify } from "./proc.ts";
import type { ContainerRecord } from "./records.ts";
import { createStatsReader } from "./stats.ts";

test.runIf(process.platform === "linux")(
  "the CPU time of a container does not decrease when processes exit that nobody waited for",
  async () => {
    // The burner is a child of an intermediate process that exits: nobody in the session waits for it.
    const burn = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exec sleep 0.3";
    const child = spawn("sh", ["-c", `sh -c '(${burn}) & exit 0'; exec sleep 60`], { detached: true, stdio: "ignore" });
    onTestFinished(() => void process.kill(-(child.pid ?? 0), "SIGKILL"));
    await once(child, "spawn");
    const record = {
      id: "c",
      state: "CONTAINER_RUNNING",
      config: { labels: {}, annotations: {} },
      process: identify(child.pid ?? 0),
    } as unknown as ContainerRecord;
    const reader = createStatsReader(() => BigInt(Date.now()) * 1_000_000n);
    const read = () => reader.containers([record])[0]?.cpu?.usageCoreNanoSeconds ?? 0;
    let most = 0;
    for (const until = Date.now() + 2500; Date.now() < until; await sleep(50)) {
      const now = read();
      expect(now).toBeGreaterThanOrEqual(most);
      most = now;
    }
    expect(most).toBeGreaterThan(0);
  },
);
