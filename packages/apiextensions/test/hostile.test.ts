import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Answer,
  applyPatch,
  definition,
  definitionsPath,
  mergePatch,
  startServer,
  type TestServer,
  widget,
} from "./harness.ts";

const jsonPatch = { "content-type": "application/json-patch+json" };
const names = ["a", "b", "spec", "metadata", "kind", "apiVersion", "__proto__", "constructor", "status", "toString"];
const extensions = [
  "list-type",
  "list-map-keys",
  "map-type",
  "preserve-unknown-fields",
  "embedded-resource",
  "int-or-string",
  "validations",
];
const keywords = [
  ...[
    "type",
    "properties",
    "items",
    "additionalProperties",
    "default",
    "nullable",
    "enum",
    "pattern",
    "format",
    "minimum",
  ],
  ...[
    "anyOf",
    "allOf",
    "oneOf",
    "not",
    "required",
    "maxItems",
    "minLength",
    "multipleOf",
    "title",
    "$ref",
    "dependencies",
  ],
  ...extensions.map((name) => `x-kubernetes-${name}`),
];
const oddities: readonly unknown[] = [
  ...[null, 1, -1, 1.5, 1e300, true, false, "", "object", "x", "(", "[a", "__proto__"],
  ...[[], {}, [1], ["a"], [null], { a: 1 }],
];

/** Makes schemas and objects by chance, the same ones for the same seed. */
class Chance {
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  one(): number {
    this.#seed = (this.#seed * 1103515245 + 12345) & 0x7fffffff;
    return this.#seed / 0x80000000;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.one() * list.length)] as T;
  }

  /** An object of up to three members, of names that some take for something else. */
  members(make: () => unknown): object {
    return Object.fromEntries([1, 2, 3].map(() => [this.pick(names), make()]));
  }

  value(depth: number): unknown {
    if (depth === 0 || this.one() < 0.3) return this.pick(oddities);
    if (this.one() < 0.3) return [this.value(depth - 1), this.value(depth - 1)];
    return this.members(() => this.value(depth - 1));
  }

  schema(depth: number): unknown {
    if (this.one() < 0.04) return this.pick(oddities);
    const type = this.pick(["object", "object", "object", "array", "string", "integer", "number", "boolean"]);
    const flag = (name: string, odds: number) => (this.one() < odds ? { [`x-kubernetes-${name}`]: true } : {});
    const below = () => this.schema(depth - 1);
    const listType = () => ({
      "x-kubernetes-list-type": this.pick(["set", "map", "atomic"]),
      "x-kubernetes-list-map-keys": [this.pick(names)],
    });
    return {
      type,
      ...(type === "object" && depth > 0 && this.one() < 0.7 ? { properties: this.members(below) } : {}),
      ...(type === "object" ? { ...flag("preserve-unknown-fields", 0.3), ...flag("embedded-resource", 0.1) } : {}),
      ...(type === "object" && this.one() < 0.2 ? { default: {} } : {}),
      ...(type === "array" ? { items: below(), ...(this.one() < 0.4 ? listType() : {}) } : {}),
      ...(type === "string" && this.one() < 0.3 ? { default: "x" } : {}),
      ...(this.one() < 0.1 ? { anyOf: [{ required: [this.pick(names)] }, { not: { minimum: 1 } }] } : {}),
      ...(this.one() < 0.1 ? { [this.pick(keywords)]: this.pick(oddities) } : {}),
    };
  }
}

let api: TestServer;

beforeAll(async () => {
  api = await startServer();
}, 60_000);

afterAll(() => api.stop());

test("whatever is defined and written, no response is an internal error", { timeout: 120_000 }, async () => {
  const chance = new Chance(20260101);
  const errors: string[] = [];
  let defined = 0;
  let stored = 0;
  const note = (what: string, answer: Answer, sent: unknown) => {
    if (answer.status >= 500) errors.push(`${what}: ${answer.text} to ${JSON.stringify(sent)}`);
    return answer.status;
  };
  const subresources = { status: {}, scale: { specReplicasPath: ".spec.a", statusReplicasPath: ".status.a" } };
  for (let n = 0; n < 80; n++) {
    const group = `g${n}.example.com`;
    const schema = { ...(chance.schema(3) as object), type: "object" };
    const body = definition({ group, schema, version: chance.one() < 0.5 ? { subresources } : {} });
    if (chance.one() < 0.1) body.spec[chance.pick(Object.keys(body.spec))] = chance.pick(oddities);
    if (note("define", await api.define(body), body) !== 201) continue;
    defined++;
    const path = `/apis/${group}/v1/namespaces/ns/widgets`;
    for (const name of ["w0", "w1", "w2", "w3"]) {
      const object = { ...(chance.value(3) as object), ...widget(name), apiVersion: `${group}/v1` };
      if (note("create", await api.call("POST", path, object), [schema, object]) === 201) stored++;
      const applied = { ...(chance.value(3) as object), ...widget(name), apiVersion: `${group}/v1` };
      note("apply", await api.call("PATCH", `${path}/${name}?fieldManager=x`, applied, applyPatch), [schema, applied]);
      const merged = chance.value(3);
      note("merge", await api.call("PATCH", `${path}/${name}`, merged, mergePatch), [schema, merged]);
      const status = { status: chance.value(2) };
      note("status", await api.call("PATCH", `${path}/${name}/status`, status, mergePatch), [schema, status]);
      const scale = { spec: { replicas: chance.pick(oddities) } };
      note("scale", await api.call("PATCH", `${path}/${name}/scale`, scale, mergePatch), [schema, scale]);
      const added = [{ op: "add", path: `/${chance.pick(names)}`, value: chance.value(2) }];
      note("add", await api.call("PATCH", `${path}/${name}`, added, jsonPatch), [schema, added]);
    }
    const table = { accept: "application/json;as=Table;g=meta.o8s.io;v=v1" };
    note("list", await api.call("GET", path, undefined, table), schema);
    note("openapi", await api.call("GET", `/openapi/v3/apis/${group}/v1`), schema);
    note("delete", await api.call("DELETE", `${definitionsPath}/widgets.${group}`), schema);
  }
  expect(errors).toEqual([]);
  expect(defined).toBeGreaterThan(15);
  expect(stored).toBeGreaterThan(50);
});
