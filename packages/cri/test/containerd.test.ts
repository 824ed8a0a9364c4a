import { expect, onTestFinished, test } from "vitest";
import { createCriClient } from "../src/index.ts";
import { containerdUnavailable, startContainerd } from "../src/testing/index.ts";
import { describeRuntime } from "./runtime-contract.ts";

const reason = await containerdUnavailable();
if (reason !== undefined) console.warn(`containerd tests are skipped: ${reason}`);

describeRuntime("containerd", startContainerd, reason);

test.skipIf(reason !== undefined)("containerd keeps the network namespaces of pods in its own folder", async () => {
  const containerd = await startContainerd();
  const cri = createCriClient({ endpoint: containerd.endpoint, timeoutMs: 60_000 });
  onTestFinished(async () => {
    cri.close();
    await containerd.stop();
  });
  const config = { metadata: { name: "a", namespace: "default", uid: "a" }, linux: {} };
  const { podSandboxId } = await cri.runtime.runPodSandbox({ config });
  const { info } = await cri.runtime.podSandboxStatus({ podSandboxId, verbose: true });
  const { runtimeSpec } = JSON.parse(info.info ?? "{}");
  const namespaces: readonly { readonly type: string; readonly path?: string }[] = runtimeSpec.linux.namespaces;
  const network = namespaces.find(({ type }) => type === "network");
  // In /run/netns, where the programs of a host keep theirs, the first of these could make it impossible to remove.
  expect(network?.path).toMatch(new RegExp(`^${containerd.dir}/state/`));
});
