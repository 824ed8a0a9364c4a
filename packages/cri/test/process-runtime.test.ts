import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findBusybox } from "../src/images/index.ts";
import { createCriClient } from "../src/index.ts";
import { createProcessRuntime } from "../src/process-runtime/index.ts";
import { removeSandboxes } from "../src/testing/index.ts";
import { describeRuntime, type RuntimeUnderTest } from "./runtime-contract.ts";

async function start(): Promise<RuntimeUnderTest> {
  const dir = await mkdtemp(join(tmpdir(), "o8s-proc-"));
  const options = { socketPath: join(dir, "cri.sock"), rootDir: join(dir, "root") };
  let runtime = await createProcessRuntime(options);
  return {
    endpoint: runtime.endpoint,
    async restart() {
      await runtime.close();
      runtime = await createProcessRuntime(options);
    },
    async stop() {
      await removeSandboxes(runtime.endpoint);
      await runtime.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const linux = process.platform === "linux" ? undefined : "needs Linux";
const reason = linux ?? ((await findBusybox()) === undefined ? "busybox is not installed" : undefined);
if (reason !== undefined) console.warn(`process runtime tests are skipped: ${reason}`);

describeRuntime("the process runtime", start, reason);

test.skipIf(reason !== undefined)("exec cuts off long output so that the response fits into a message", async () => {
  const runtime = await start();
  onTestFinished(() => runtime.stop());
  const cri = createCriClient({ endpoint: runtime.endpoint });
  onTestFinished(() => cri.close());
  const config = { metadata: { name: "p", uid: "p", namespace: "d" } };
  const { podSandboxId } = await cri.runtime.runPodSandbox({ config });
  const { containerId } = await cri.runtime.createContainer({
    podSandboxId,
    sandboxConfig: config,
    config: { metadata: { name: "c" }, image: { image: "localhost/busybox:1" }, command: ["sleep", "60"] },
  });
  await cri.runtime.startContainer({ containerId });
  const cmd = ["sh", "-c", "head -c 9000000 /dev/zero; head -c 9000000 /dev/zero >&2"];
  const { stdout, stderr, exitCode } = await cri.runtime.execSync({ containerId, cmd, timeout: 60 });
  expect(exitCode).toBe(0);
  expect(Math.min(stdout.length, stderr.length)).toBeGreaterThan(8_000_000);
});
