import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { type ContentSources, contentOf } from "./content.ts";

const sources = { token: async () => "secret" } as unknown as ContentSources;
const volume: core.Volume = { name: "v", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } };
const as = (runAsUser: number) => ({ securityContext: { runAsUser } });

const megabyte = "x".repeat(1024 * 1024);
let decoded = 0;
const objects = {
  configMap: async () => ({ metadata: {}, data: { key: megabyte, small: "s" } }),
  secret: async () => ({
    metadata: {},
    data: { small: "", large: { toString: () => `${++decoded}` } },
  }),
};
const facts = { nodeName: "n", hostIPs: [], podIPs: [], allocatable: {} };
const all = { ...sources, objects, facts } as unknown as ContentSources;
const annotated = {
  metadata: { annotations: { a: megabyte.slice(0, 250_000) } },
  spec: { containers: [] },
  status: {},
} as core.Pod;
const times = (count: number, key: string) => Array.from({ length: count }, (_, i) => ({ key, path: `p${i}` }));
const field = (_: unknown, i: number) => ({ path: `p${i}`, fieldRef: { fieldPath: "metadata.annotations" } });

test.each<[string, core.Volume]>([
  ["one key of a config map", { name: "v", configMap: { name: "m", items: times(150, "key") } }],
  ["all annotations", { name: "v", downwardAPI: { items: Array.from({ length: 600 }, field) } }],
  [
    "a config map",
    { name: "v", projected: { sources: Array.from({ length: 150 }, () => ({ configMap: { name: "m" } })) } },
  ],
])("a volume cannot have %s so often that it exhausts the node's memory", async (_, hostile) => {
  await expect(contentOf(annotated, hostile, all)).rejects.toThrow("have more than 104857600 bytes");
});

test("only the keys of a secret that a volume names are decoded", async () => {
  const files = await contentOf(annotated, { name: "v", secret: { secretName: "s", items: times(10, "small") } }, all);
  expect([files.size, decoded]).toEqual([10, 0]);
});

/** Mode and owner of the file of a token. */
async function fileOf(ofPod: object, ...containers: readonly object[]): Promise<readonly unknown[]> {
  const spec = { securityContext: ofPod, containers: containers.length === 0 ? [{}] : containers };
  const { mode, uid } = (await contentOf({ metadata: {}, spec } as core.Pod, volume, sources)).get("token") ?? {};
  return [mode, uid];
}

test.each<[string, object, readonly object[], readonly unknown[]]>([
  ["nobody in particular", {}, [], [0o644, undefined]],
  ["the user of the pod", { runAsUser: 1000 }, [], [0o600, 1000]],
  ["the group of the pod", { fsGroup: 10_000 }, [], [0o640, undefined]],
  ["user and group of the pod", { runAsUser: 1000, fsGroup: 10_000 }, [], [0o640, 1000]],
  ["the one user of the containers", {}, [as(7), as(7)], [0o600, 7]],
  ["nobody if the containers have several users", {}, [as(7), as(8)], [0o644, undefined]],
  ["nobody if a container has no user", {}, [as(7), {}], [0o644, undefined]],
])("a token is for %s", async (_name, ofPod, containers, want) => {
  expect(await fileOf(ofPod, ...containers)).toEqual(want);
});
