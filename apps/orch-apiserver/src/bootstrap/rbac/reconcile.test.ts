import type { rbac } from "@orchernetes/api";
import { alreadyExists, notFound } from "@orchernetes/apimachinery";
import { beforeEach, describe, expect, test } from "vitest";
import { bind, bindController } from "./binding.ts";
import { aggregatedRules, bootstrapRoles } from "./reconcile.ts";

interface Stored {
  readonly metadata: { readonly name: string; readonly labels?: object; readonly annotations?: object };
  readonly rules?: readonly object[];
  readonly subjects?: readonly object[];
  readonly roleRef?: object;
}
let objects: Map<string, Stored>;
let writes: string[];
const keyOf = (plural: string, { namespace, name }: { readonly namespace?: string; readonly name?: string }) =>
  `${plural} ${namespace ?? ""}/${name ?? ""}`;

/** A registry that holds its objects in a map. */
const registry = {
  forDefinition: (definition: typeof rbac.roles) => ({
    get: async (ref: { readonly namespace: string; readonly name: string }) => {
      const found = objects.get(keyOf(definition.plural, ref));
      if (found === undefined) throw notFound(definition, ref.name);
      return found;
    },
    create: async (object: Stored) => {
      const key = keyOf(definition.plural, object.metadata);
      if (objects.has(key)) throw alreadyExists(definition, object.metadata.name);
      objects.set(key, object);
      writes.push(key);
    },
    update: async (ref: { readonly name: string }, change: (draft: Stored, current: Stored) => boolean) => {
      const key = keyOf(definition.plural, ref);
      const current = objects.get(key) as Stored;
      const draft = structuredClone(current);
      if (!change(draft, current)) return;
      objects.set(key, draft);
      writes.push(key);
    },
  }),
};
const run = async (...gates: readonly string[]): Promise<readonly string[]> => {
  writes = [];
  await bootstrapRoles((gate) => gates.includes(gate)).run({ registry } as never);
  return writes;
};
const admin = "clusterroles /cluster-admin";
const binding = "clusterrolebindings /cluster-admin";
const change = (key: string, fields: Partial<Stored>) => {
  objects.set(key, { ...(objects.get(key) as Stored), ...fields });
};

beforeEach(async () => {
  objects = new Map();
  await run();
});

describe("roles and bindings that every cluster has", () => {
  test("are made, with the label and the annotation of their kind", () => {
    expect(objects.get(admin)).toEqual({
      metadata: {
        name: "cluster-admin",
        labels: { "orchernetes.io/bootstrapping": "rbac-defaults" },
        annotations: { "rbac.authorization.orchernetes.io/autoupdate": "true" },
      },
      rules: [
        { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
        { verbs: ["*"], nonResourceURLs: ["*"] },
      ],
    });
    expect(objects.get(binding)).toMatchObject({
      roleRef: { kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "Group", name: "system:masters" }],
    });
  });

  test("refer to roles that are there", () => {
    for (const [key, { roleRef }] of objects) {
      if (roleRef === undefined) continue;
      const { kind, name } = roleRef as { readonly kind: string; readonly name: string };
      const namespace = key.slice(key.indexOf(" ") + 1, key.indexOf("/"));
      const plural = kind === "Role" ? `roles ${namespace}` : "clusterroles ";
      expect([...objects.keys()], key).toContain(`${plural}/${name}`);
    }
  });

  test("are not written again if nothing is missing", async () => {
    expect(await run()).toEqual([]);
  });

  test("include those of controllers behind feature gates only with all of the gates", async () => {
    const gated = "system:controller:storage-version-garbage-collector";
    expect(await run("StorageVersionAPI")).toEqual([]);
    expect(await run("StorageVersionAPI", "APIServerIdentity")).toEqual([
      `clusterroles /${gated}`,
      `clusterrolebindings /${gated}`,
    ]);
  });
});

describe("what an administrator changed", () => {
  const own = { verbs: ["get"], apiGroups: ["acme.io"], resources: ["widgets"] };

  test("stays, and what was taken away comes back", async () => {
    change(admin, { rules: [own] });
    expect(await run()).toEqual([admin]);
    expect(objects.get(admin)?.rules).toEqual([
      own,
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ]);
  });

  test("counts if it allows more", async () => {
    const key = "clusterroles /system:node-proxier";
    change(key, { rules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] });
    expect(await run()).toEqual([]);
    change(key, { rules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: ["one"] }] });
    expect(await run()).toEqual([key]);
  });

  test("of a binding stays, too", async () => {
    const ann = { kind: "User", name: "ann" };
    change(binding, { subjects: [ann] });
    expect(await run()).toEqual([binding]);
    expect(objects.get(binding)?.subjects).toEqual([ann, expect.objectContaining({ name: "system:masters" })]);
  });

  test("is left alone without the annotation", async () => {
    const metadata = {
      name: "cluster-admin",
      annotations: { "rbac.authorization.orchernetes.io/autoupdate": "false" },
    };
    change(admin, { rules: [], metadata });
    change(binding, { subjects: [], metadata: { name: "cluster-admin" } });
    expect(await run()).toEqual([]);
    expect(objects.get(admin)?.rules).toEqual([]);
  });
});

test("a role gathers the rules of all roles with its labels, also through other such roles", () => {
  const rule = (verb: string) => ({ verbs: [verb], apiGroups: [""], resources: ["pods"] });
  const roles = [
    { name: "a", labels: { x: "1" }, rules: [rule("get")] },
    { name: "b", labels: { x: "1", y: "1" }, rules: [rule("list")] },
    { name: "c", labels: { z: "1" }, aggregate: [{ x: "1" }], rules: [] },
    { name: "d", rules: [rule("delete")] },
  ];
  const verbs = (...selections: readonly Readonly<Record<string, string>>[]) =>
    aggregatedRules(selections, roles).flatMap((one) => one.verbs);
  expect(verbs({ x: "1" })).toEqual(["get", "list"]);
  expect(verbs({ x: "1", y: "1" })).toEqual(["list"]);
  expect(verbs({ x: "2" })).toEqual([]);
  expect(verbs({ z: "1" })).toEqual(["get", "list"]);
  expect(verbs({ y: "1" }, { x: "1" })).toEqual(["get", "list"]);
  expect(verbs()).toEqual([]);
});

test("bindings are written in short", () => {
  expect(bind("b", "ClusterRole/system:x", ["User:system:u", "Group:g", "ServiceAccount:ns/sa"])).toEqual({
    name: "b",
    roleRef: { apiGroup: "rbac.authorization.o8s.io", kind: "ClusterRole", name: "system:x" },
    subjects: [
      { kind: "User", apiGroup: "rbac.authorization.o8s.io", name: "system:u" },
      { kind: "Group", apiGroup: "rbac.authorization.o8s.io", name: "g" },
      { kind: "ServiceAccount", name: "sa", namespace: "ns" },
    ],
  });
  expect(bindController("system:controller:job-controller").subjects).toEqual([
    { kind: "ServiceAccount", name: "job-controller", namespace: "orch-system" },
  ]);
});
