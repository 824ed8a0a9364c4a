import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import type { ObjectReader } from "../objects/object-reader.ts";
import { testPod } from "../testing/pods.ts";
import { environmentOf } from "./environment.ts";

const objects: ObjectReader = {
  configMap: async (_, name) => (name === "cm" ? { metadata: { name }, data: { a: "1", "bad key": "x" } } : undefined),
  secret: async (_, name) =>
    name === "s"
      ? ({ metadata: { name }, data: { pw: Buffer.from("hush").toString("base64") } } as core.Secret)
      : undefined,
};
const facts = { nodeName: "n", hostIPs: ["1.2.3.4"], podIPs: ["10.0.0.2"], allocatable: { cpu: "2", memory: "1Gi" } };
const service = {
  metadata: { name: "my-db", namespace: "default" },
  spec: { clusterIP: "10.96.0.9", ports: [{ name: "sql", port: 5432, protocol: "TCP" }] },
} as unknown as core.Service;

test("an object that is named very often as the source of variables does not exhaust the agent's memory", async () => {
  const data = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, "v"]));
  let reads = 0;
  const configMap = async (_: string, name: string) => {
    reads += 1;
    return { metadata: { name }, data };
  };
  const envFrom = Array.from({ length: 5000 }, (_, i) => ({ prefix: `P${i}_`, configMapRef: { name: "m" } }));
  const pod = testPod({ containers: [{ name: "c", image: "i", envFrom }] });
  const outcome = environmentOf({
    ...{ pod, facts, services: [], container: pod.spec.containers[0] as core.Container },
    ...{ objects: { ...objects, configMap }, onInvalidNames: () => undefined },
  });
  await expect(outcome).rejects.toThrow("the environment is larger than 6291456 bytes");
  expect(reads).toBeLessThan(1000);
});

test("only the key of a secret that a variable names is decoded", async () => {
  let decoded = 0;
  const data = { small: Buffer.from("s").toString("base64"), large: { toString: () => `${++decoded}` } };
  const secret = async () => ({ metadata: { name: "s" }, data }) as unknown as core.Secret;
  const valueFrom = { secretKeyRef: { name: "s", key: "small" } };
  const pod = testPod({ containers: [{ name: "c", image: "i", env: [{ name: "A", valueFrom }] }] });
  const found = await environmentOf({
    ...{ pod, facts, services: [], container: pod.spec.containers[0] as core.Container },
    ...{ objects: { ...objects, secret }, onInvalidNames: () => undefined },
  });
  expect([...found, decoded]).toEqual([["A", "s"], 0]);
});

test.each([
  ["configMapRef", "configMap"],
  ["secretRef", "secret"],
])("names from a %s that are invalid with their prefix are reported", async (source, of) => {
  const data = { "b c": "", "a b": "", good: "" };
  const read = async () => ({ metadata: { name: "m" }, data }) as unknown as core.ConfigMap & core.Secret;
  const reported: string[] = [];
  const envFrom = [{ prefix: "P_", [source]: { name: "m" } }];
  const pod = testPod({ containers: [{ name: "c", image: "i", envFrom }] });
  await environmentOf({
    ...{ pod, facts, services: [], container: pod.spec.containers[0] as core.Container },
    ...{ objects: { configMap: read, secret: read }, onInvalidNames: (message) => reported.push(message) },
  });
  expect(reported).toEqual([
    `Keys [P_a b, P_b c] from the EnvFrom ${of} default/m were skipped since they are considered invalid environment variable names.`,
  ]);
});

async function env(container: object, spec: object = {}) {
  const reported: string[] = [];
  const pod = testPod({ containers: [{ name: "c", image: "i", ...container }], ...spec }, { labels: { app: "x" } });
  const [first] = pod.spec.containers;
  if (first === undefined) throw new Error("no container");
  const result = await environmentOf({
    pod,
    container: first,
    facts,
    services: [service],
    objects,
    onInvalidNames: (message) => reported.push(message),
  });
  return { env: Object.fromEntries(result), reported };
}

test.each([
  [
    "a value that refers to one before",
    {
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "$(A)2" },
      ],
    },
    { A: "1", B: "12" },
  ],
  ["a label", { env: [{ name: "L", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } }] }, { L: "x" }],
  [
    "the pod's address",
    { env: [{ name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }] },
    { IP: "10.0.0.2" },
  ],
  [
    "a limit of its own",
    {
      resources: { limits: { cpu: "1500m" } },
      env: [{ name: "C", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } }],
    },
    { C: "2" },
  ],
  [
    "the node's amount without a limit",
    { env: [{ name: "M", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } }] },
    { M: "1024" },
  ],
  [
    "a key of a config map",
    { env: [{ name: "K", valueFrom: { configMapKeyRef: { name: "cm", key: "a" } } }] },
    { K: "1" },
  ],
  ["a key of a secret", { env: [{ name: "K", valueFrom: { secretKeyRef: { name: "s", key: "pw" } } }] }, { K: "hush" }],
  [
    "an optional key that is missing",
    { env: [{ name: "K", valueFrom: { configMapKeyRef: { name: "no", key: "a", optional: true } } }] },
    {},
  ],
  [
    "own variables over those of envFrom",
    { envFrom: [{ prefix: "P_", secretRef: { name: "s" } }], env: [{ name: "P_pw", value: "mine" }] },
    { P_pw: "mine" },
  ],
])("%s", async (_, container, want) => {
  expect((await env(container, { enableServiceLinks: false })).env).toEqual(want);
});

test("services of the namespace are in the environment if the pod enables service links", async () => {
  expect((await env({})).env).toEqual({
    MY_DB_SERVICE_HOST: "10.96.0.9",
    MY_DB_SERVICE_PORT: "5432",
    MY_DB_SERVICE_PORT_SQL: "5432",
    MY_DB_PORT: "tcp://10.96.0.9:5432",
    MY_DB_PORT_5432_TCP: "tcp://10.96.0.9:5432",
    MY_DB_PORT_5432_TCP_PROTO: "tcp",
    MY_DB_PORT_5432_TCP_PORT: "5432",
    MY_DB_PORT_5432_TCP_ADDR: "10.96.0.9",
  });
});

test("keys that are not valid names are omitted and reported", async () => {
  const { env: result, reported } = await env(
    { envFrom: [{ configMapRef: { name: "cm" } }] },
    { enableServiceLinks: false },
  );
  expect(result).toEqual({ a: "1" });
  expect(reported).toEqual([
    expect.stringContaining("Keys [bad key] from the EnvFrom configMap default/cm were skipped"),
  ]);
});

test.each([
  [
    "configmap",
    { env: [{ name: "K", valueFrom: { configMapKeyRef: { name: "no", key: "a" } } }] },
    'configmap "no" not found',
  ],
  [
    "key",
    { env: [{ name: "K", valueFrom: { configMapKeyRef: { name: "cm", key: "z" } } }] },
    "couldn't find key z in ConfigMap default/cm",
  ],
  ["envFrom", { envFrom: [{ secretRef: { name: "no" } }] }, 'secret "no" not found'],
])("a missing %s is an error", async (_, container, message) => {
  await expect(env(container)).rejects.toThrow(message);
});
