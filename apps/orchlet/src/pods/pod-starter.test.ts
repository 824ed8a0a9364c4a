import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { createPaths } from "../util/paths.ts";
import { createPodStarter, type PodStarterOptions } from "./pod-starter.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "o8s-starter-"));
});
afterAll(() => rm(dir, { recursive: true }));

test("sandboxes of a burst are created a few at a time, in order, with the handler of their class", async () => {
  const made: string[] = [];
  const handlers: string[] = [];
  let atOnce = 0;
  let most = 0;
  const options: Partial<PodStarterOptions> = {
    cri: {
      runtime: {
        async runPodSandbox({
          config,
          runtimeHandler,
        }: {
          config: { metadata: { name: string } };
          runtimeHandler: string;
        }) {
          made.push(config.metadata.name);
          handlers.push(runtimeHandler);
          most = Math.max(most, ++atOnce);
          await new Promise((resolve) => setTimeout(resolve, 5));
          atOnce -= 1;
        },
      },
    } as unknown as PodStarterOptions["cri"],
    cgroups: { ensure: async () => "" } as unknown as PodStarterOptions["cgroups"],
    runtimeHandlers: { of: async () => "special" },
    parallelSandboxes: 3,
    paths: createPaths(dir),
    dns: async () => ({ resolvConf: "", clusterDNS: [], clusterDomain: "" }),
    security: { seccompDefault: false, seccompDir: "" },
  };
  const starter = createPodStarter(options as PodStarterOptions);
  const names = Array.from({ length: 12 }, (_, n) => `p${n}`);
  const pods = names.map((name) => testPod({}, { name, uid: name }));
  const signal = new AbortController().signal;
  await Promise.all(pods.map((pod) => starter.createSandbox(pod, 0, () => undefined, signal)));
  expect(most).toBe(3);
  expect(made).toHaveLength(12);
  expect(new Set(made.slice(0, 3))).toEqual(new Set(names.slice(0, 3)));
  expect(new Set(made.slice(0, 9))).toEqual(new Set(names.slice(0, 9)));
  expect(new Set(handlers)).toEqual(new Set(["special"]));
});
