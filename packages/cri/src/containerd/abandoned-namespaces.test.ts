import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CriError } from "../client/cri-error.ts";
import { namespaceFiles, removeAbandonedNamespaces } from "./abandoned-namespaces.ts";

let state: string;
let folder: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "netns-"));
  folder = join(state, "io.containerd.grpc.v1.cri/netns");
  mkdirSync(folder, { recursive: true });
  for (const name of ["cni-a", "cni-b", "cni-c"]) writeFileSync(join(folder, name), "");
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

/** How containerd 1.6 describes a sandbox. */
const withNamespace = (path: string) =>
  JSON.stringify({ runtimeSpec: { linux: { namespaces: [{ type: "pid" }, { type: "network", path }] } } });

/** A runtime with sandboxes, by id: the network that each has, and its description. */
function runtimeWith(sandboxes: Readonly<Record<string, readonly ["POD" | "NODE", string] | "gone">>) {
  return {
    listPodSandbox: async () => ({ items: Object.keys(sandboxes).map((id) => ({ id })) }),
    async podSandboxStatus({ podSandboxId = "", verbose = false }) {
      const found = sandboxes[podSandboxId] ?? "gone";
      if (found === "gone") throw new CriError("PodSandboxStatus", "NotFound", podSandboxId);
      const [network, info] = found;
      return { status: { linux: { namespaces: { options: { network } } } }, info: verbose ? { info } : {} };
    },
  } as unknown as Parameters<typeof removeAbandonedNamespaces>[0];
}

test("namespaces that no sandbox has are removed, but for those that were made since", async () => {
  const before = (await namespaceFiles(state)).filter((path) => !path.endsWith("cni-c"));
  const runtime = runtimeWith({
    s1: ["POD", withNamespace(join(folder, "cni-a"))],
    s2: ["NODE", "{}"],
    s3: "gone",
  });
  expect(await removeAbandonedNamespaces(runtime, before)).toEqual([join(folder, "cni-b")]);
  expect(readdirSync(folder).sort()).toEqual(["cni-a", "cni-c"]);
});

test("a sandbox that was recorded before its namespace has none", async () => {
  const info = JSON.stringify({
    netNamespaceClosed: true,
    runtimeSpec: { linux: { namespaces: [{ type: "network" }] } },
  });
  const runtime = runtimeWith({ s1: ["POD", withNamespace(join(folder, "cni-a"))], s2: ["POD", info] });
  expect(await removeAbandonedNamespaces(runtime, await namespaceFiles(state))).toHaveLength(2);
  expect(readdirSync(folder)).toEqual(["cni-a"]);
});

test("a namespace that containerd has removed meanwhile is no obstacle", async () => {
  const before = [...(await namespaceFiles(state)), join(folder, "cni-gone")];
  expect(await removeAbandonedNamespaces(runtimeWith({}), before)).toHaveLength(3);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["no namespace", "{}"],
  ["no JSON", "?"],
])("nothing is removed if the description of a sandbox has %s", async (_, info) => {
  const runtime = runtimeWith({ s1: ["POD", withNamespace(join(folder, "cni-a"))], s2: ["POD", info] });
  expect(await removeAbandonedNamespaces(runtime, await namespaceFiles(state))).toEqual([]);
  expect(readdirSync(folder)).toHaveLength(3);
});

test("the runtime is not asked about namespaces in which processes run", async () => {
  const asked: string[] = [];
  const runtime = { listPodSandbox: () => asked.push("list") } as unknown as Parameters<
    typeof removeAbandonedNamespaces
  >[0];
  expect(await removeAbandonedNamespaces(runtime, ["/proc/self/ns/net"])).toEqual([]);
  expect(asked).toEqual([]);
});

test("a containerd that has made no namespace has no files of them", async () => {
  expect(await namespaceFiles(join(state, "none"))).toEqual([]);
});
