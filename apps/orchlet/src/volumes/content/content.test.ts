import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { type ContentSources, contentOf } from "./content.ts";

const sources = { token: async () => "secret" } as unknown as ContentSources;
const volume: core.Volume = { name: "v", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } };
const as = (runAsUser: number) => ({ securityContext: { runAsUser } });

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
