import { core, flowcontrolV1beta3 } from "@orchernetes/api";
import { alreadyExists, notFound, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { createCertificateAuthority } from "@orchernetes/tls";
import { expect, test } from "vitest";
import { ipRange } from "../allocators/ip-range.ts";
import type { PostStartHook } from "../post-start/hooks.ts";
import { bootstrapController } from "./bootstrap-controller.ts";
import { clusterAuthenticationInfo } from "./cluster-authentication-info.ts";
import { flowControlObjects } from "./flow-control-objects.ts";
import { keepEnsured } from "./keep-ensured.ts";
import { systemNamespaces } from "./system-objects.ts";

type Stored = { metadata: { namespace?: string; name: string }; [field: string]: unknown };

/** A registry over a map, by `plural/name`. */
function memoryRegistry() {
  const objects = new Map<string, Stored>();
  const world = { objects, failing: false };
  const forDefinition = ({ group, plural }: ResourceDefinition) => {
    const resource = { group, plural };
    const key = ({ name }: { readonly name: string }) => `${plural}/${name}`;
    const get = async (ref: { readonly name: string }) => {
      if (world.failing) throw new Error("the store is gone");
      const found = objects.get(key(ref));
      if (found === undefined) throw notFound(resource, ref.name);
      return found;
    };
    return {
      cached: (ref: { readonly name: string }) => objects.get(key(ref)),
      get,
      async list() {
        return { items: [...objects].flatMap(([at, object]) => (at.startsWith(`${plural}/`) ? [object] : [])) };
      },
      async create(object: Stored) {
        if (objects.has(key(object.metadata))) throw alreadyExists(resource, object.metadata.name);
        objects.set(key(object.metadata), object);
      },
      async update(ref: { readonly name: string }, change: (draft: Stored, stored: Stored) => boolean) {
        const stored = await get(ref);
        const draft = structuredClone(stored);
        if (change(draft, stored)) objects.set(key(ref), draft);
      },
    };
  };
  return { world, registry: { forDefinition } as unknown as Registry };
}

const clock = new FakeClock();
const end = new AbortController();
const authority = async (commonName: string) => (await createCertificateAuthority({ commonName })).certPem;
const bundle = { pem: await authority("one") };
const serviceRange = ipRange("10.0.0.0/24");

test.each<[string, PostStartHook, readonly string[]]>([
  [
    "the cluster's own service",
    bootstrapController({
      service: { serviceRange, port: 6443, nodePort: 0 },
      endpoints: undefined,
      repairs: { runOnce: async () => undefined, run: async () => undefined },
      clock,
      logger: silentLogger,
      stopping: end.signal,
    }),
    [`${core.services.plural}/orchernetes`],
  ],
  [
    "the system namespaces",
    keepEnsured(systemNamespaces, clock),
    ["default", "orch-system", "orch-public", "orch-node-lease"].map((name) => `${core.namespaces.plural}/${name}`),
  ],
  [
    "the objects of priority and fairness",
    keepEnsured(flowControlObjects, clock),
    [
      `${flowcontrolV1beta3.priorityLevelConfigurations.plural}/exempt`,
      `${flowcontrolV1beta3.priorityLevelConfigurations.plural}/workload-low`,
      `${flowcontrolV1beta3.flowSchemas.plural}/catch-all`,
      `${flowcontrolV1beta3.flowSchemas.plural}/service-accounts`,
    ],
  ],
  [
    "what other servers need to know to trust the same clients",
    keepEnsured(
      clusterAuthenticationInfo(() => ({ clientCaPem: bundle.pem })),
      clock,
    ),
    ["configmaps/extension-apiserver-authentication"],
  ],
])("%s: restored within a minute of their deletion", async (_name, hook, keys) => {
  const { world, registry } = memoryRegistry();
  await hook.run({ registry, signal: end.signal, logger: { error() {} } });
  const before = new Map(world.objects);
  expect([...before.keys()]).toEqual(expect.arrayContaining([...keys]));
  for (let round = 0; round < 2; round++) {
    for (const key of keys) expect(world.objects.delete(key)).toBe(true);
    world.failing = round === 1;
    await clock.advanceAsync(30_000);
    world.failing = false;
    await clock.advanceAsync(30_000);
    expect(world.objects).toEqual(before);
  }
});

test("a changed bundle of authorities is published, and keys of others stay", async () => {
  const { world, registry } = memoryRegistry();
  const hook = keepEnsured(
    clusterAuthenticationInfo(() => ({ clientCaPem: bundle.pem })),
    clock,
  );
  await hook.run({ registry, signal: end.signal, logger: { error() {} } });
  const stored = () => world.objects.get("configmaps/extension-apiserver-authentication");
  Object.assign(stored() ?? {}, { data: { ...(stored()?.data as object), other: "x" } });
  const two = await authority("two");
  bundle.pem = two;
  await clock.advanceAsync(60_000);
  expect(stored()?.data).toEqual({ "client-ca-file": two, other: "x" });
});

test("nothing is ensured once the server stops", async () => {
  const { world, registry } = memoryRegistry();
  const stopped = new AbortController();
  const hook = keepEnsured(flowControlObjects, clock);
  await hook.run({ registry, signal: stopped.signal, logger: { error() {} } });
  stopped.abort();
  world.objects.clear();
  await clock.advanceAsync(120_000);
  expect(world.objects.size).toBe(0);
});
