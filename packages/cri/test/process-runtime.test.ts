import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBusybox } from "../src/images/index.ts";
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
