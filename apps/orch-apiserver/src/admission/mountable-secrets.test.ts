import type { core } from "@orchernetes/api";
import { notFound, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, MutatingAttributes, Registry } from "@orchernetes/apiserver";
import { expect, test } from "vitest";
import { serviceAccount } from "./service-account.ts";

const account = (annotation?: string) => ({
  metadata: {
    namespace: "ns",
    name: "builder",
    ...(annotation !== undefined && { annotations: { "orchernetes.io/enforce-mountable-secrets": annotation } }),
  },
  automountServiceAccountToken: false,
  secrets: [{ name: "mine" }],
  imagePullSecrets: [{ name: "pull" }],
});

/** What the plugin says to a pod of the account: "" for nothing. */
async function answer(spec: object, annotation?: string, subresource = ""): Promise<string> {
  const registry = {
    forDefinition: ({ group, plural }: ResourceDefinition) => ({
      cached: () => account(annotation),
      get: async () => {
        throw notFound({ group, plural }, "builder");
      },
    }),
  } as unknown as Registry;
  const context = { registry, signal: new AbortController().signal } as unknown as AdmissionContext;
  const object = { metadata: { name: "p" }, spec: { serviceAccountName: "builder", containers: [], ...spec } };
  const attributes = {
    operation: subresource === "" ? "CREATE" : "UPDATE",
    resource: { group: "", version: "v1", resource: "pods" },
    subresource,
    namespace: "ns",
    name: "p",
    object,
    oldObject: subresource === "" ? undefined : object,
  };
  try {
    await serviceAccount.admit?.(attributes as unknown as MutatingAttributes, context);
    await serviceAccount.validate?.(attributes as unknown as AdmissionAttributes, context);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

test("a pod that a webhook has made a mirror pod, or has given an account, is checked once more", async () => {
  const context = {
    registry: {
      forDefinition: ({ group, plural }: ResourceDefinition) => ({
        cached: () => undefined,
        get: async () => {
          throw notFound({ group, plural }, "robot");
        },
      }),
    },
  } as unknown as AdmissionContext;
  const write = (annotations: object, spec: object) =>
    ({
      operation: "CREATE",
      resource: { group: "", version: "v1", resource: "pods" },
      subresource: "",
      namespace: "ns",
      name: "p",
      object: { metadata: { name: "p", annotations }, spec: { containers: [], ...spec } },
    }) as unknown as AdmissionAttributes;
  const mirror = write({ "orchernetes.io/config.mirror": "x" }, { imagePullSecrets: [{ name: "s" }] });
  expect(() => serviceAccount.validate?.(mirror, context)).toThrow("a mirror pod may not reference secrets");
  await expect(serviceAccount.validate?.(write({}, { serviceAccountName: "robot" }), context)).rejects.toThrow(
    'pods "p" is forbidden: error looking up service account ns/robot: serviceaccount "robot" not found',
  );
});

const container = (fields: object) => ({ name: "c", ...fields });
const variable = (name: string) => container({ env: [{ name: "V", valueFrom: { secretKeyRef: { name, key: "k" } } }] });
const variables = (name: string) => container({ envFrom: [{ secretRef: { name } }] });
const volume = (source: object) => ({ volumes: [{ name: "v", ...source }] });

const uses: readonly (readonly [string, (name: string) => Partial<core.PodSpec> | object, string])[] = [
  ["a volume", (name) => volume({ secret: { secretName: name } }), "volume with"],
  ["a projected volume", (name) => volume({ projected: { sources: [{ secret: { name } }] } }), "volume with"],
  ["a CSI volume", (name) => volume({ csi: { driver: "d", nodePublishSecretRef: { name } } }), "volume with"],
  ["a variable", (name) => ({ containers: [variable(name)] }), "container c with envVar V referencing"],
  ["variables", (name) => ({ containers: [variables(name)] }), "container c with envFrom referencing"],
  [
    "a variable of an init container",
    (name) => ({ initContainers: [variable(name)] }),
    "init container c with envVar V",
  ],
  [
    "variables of an init container",
    (name) => ({ initContainers: [variables(name)] }),
    "init container c with envFrom",
  ],
];

test.each(uses)("an account that enforces its secrets: %s", async (_name, spec, where) => {
  expect(await answer(spec("mine"), "true")).toBe("");
  const refused = await answer(spec("theirs"), "true");
  expect(refused).toContain(where);
  expect(refused).toContain(
    'secret.secretName="theirs" is not allowed because service account builder does not reference that secret',
  );
  expect(await answer(spec("theirs"))).toBe("");
});

test("pull secrets are those of the account", async () => {
  expect(await answer({ imagePullSecrets: [{ name: "pull" }] }, "true")).toBe("");
  expect(await answer({}, "true")).toBe("");
  expect(await answer({ imagePullSecrets: [{ name: "mine" }] }, "true")).toContain(
    'imagePullSecrets[0].name="mine" is not allowed because service account builder does not reference that imagePullSecret',
  );
});

test.each(["1", "t", "T", "TRUE", "True"])("the annotation %j enforces", async (value) => {
  expect(await answer(volume({ secret: { secretName: "theirs" } }), value)).toContain("is not allowed");
});
test.each(["", "false", "yes", "tRUE"])("the annotation %j does not enforce", async (value) => {
  expect(await answer(volume({ secret: { secretName: "theirs" } }), value)).toBe("");
});

test("ephemeral containers keep to the account's secrets", async () => {
  const spec = (name: string) => ({ ephemeralContainers: [variable(name)] });
  expect(await answer(spec("mine"), "true", "ephemeralcontainers")).toBe("");
  expect(await answer(spec("theirs"), "true", "ephemeralcontainers")).toContain("ephemeral container c with envVar V");
});
