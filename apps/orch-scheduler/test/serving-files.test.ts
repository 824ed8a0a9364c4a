import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, type RunningDaemon, replaceServingFiles, startDaemon } from "@orchernetes/testkit";
import { afterAll, expect, test } from "vitest";

const dir = mkdtempSync(join(tmpdir(), "serving-files-"));
let daemon: RunningDaemon | undefined;
afterAll(async () => {
  await daemon?.stop();
  rmSync(dir, { recursive: true });
});

test("replaced certificates and authorities take effect without a restart", async () => {
  const port = await freePort();
  const report = await replaceServingFiles({
    dir,
    port,
    path: "/metrics",
    async start(flags) {
      // It waits for an API server, and serves meanwhile.
      daemon = await startDaemon({ name: "orch-scheduler", flags: ["--master=https://127.0.0.1:1", ...flags], dir });
    },
  });
  expect(report).toEqual({
    before: ["first", "first of the name"],
    after: ["second", "second of the name"],
    answers: [200, 200],
    answersAfter: [200, 401],
    closed: [false, true],
  });
}, 90_000);
