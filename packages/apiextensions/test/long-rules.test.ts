import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { definition, definitionsPath, mergePatch, startServer, type TestServer, widget } from "./harness.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => server.stop());

const integers = (maxItems: number, rule: string) => ({
  type: "array",
  maxItems,
  items: { type: "integer" },
  "x-orchernetes-validations": [{ rule }],
});
const items = Array.from({ length: 1000 }, (_, i) => i);
/** Each costs as much as one evaluation may. */
const expensive = "self.all(x, self.all(y, x != y || true))";
const names = ["a", "b", "c", "d", "e", "f"];

/** The longest time for which nothing else was done while `run` ran, and how long that took, in milliseconds. */
async function longestTurn(
  run: () => Promise<unknown>,
): Promise<{ readonly longestMs: number; readonly tookMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const start = performance.now();
  delay.enable();
  await run();
  delay.disable();
  return { longestMs: delay.max / 1e6, tookMs: performance.now() - start };
}

test("writes with expensive rules do not keep others waiting", async () => {
  const schema = {
    type: "object",
    properties: {
      spec: { type: "object", properties: Object.fromEntries(names.map((name) => [name, integers(1000, expensive)])) },
      status: { type: "object", properties: { a: integers(1000, expensive) } },
    },
  };
  const made = definition({ schema, version: { subresources: { status: {} } } });
  const { status } = await server.define(made);
  expect(status).toBe(201);
  const path = "/apis/example.com/v1/namespaces/default/widgets";
  const one = widget("one", { spec: Object.fromEntries(names.map((name) => [name, items])) });
  const exceeded = "no further validation rules will be run due to call cost exceeds limit";
  const create = await longestTurn(async () => {
    const answer = await server.call("POST", path, one);
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(exceeded)]);
  });
  expect((await server.call("POST", path, widget("two"))).status).toBe(201);
  const update = await longestTurn(async () => {
    const answer = await server.call("PATCH", `${path}/two`, { spec: { a: items } }, mergePatch);
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(exceeded)]);
  });
  const report = await longestTurn(async () => {
    const answer = await server.call("PATCH", `${path}/two/status`, { status: { a: items } }, mergePatch);
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(exceeded)]);
  });
  for (const { longestMs, tookMs } of [create, update, report])
    expect(longestMs).toBeLessThan(Math.max(60, tookMs / 2));
});

test("the server answers others while rules are evaluated", async () => {
  const schema = {
    type: "object",
    properties: Object.fromEntries(
      names.map((name) => [name, integers(1000, "self.filter(x, x < 340).all(x, self.all(y, x != y || true))")]),
    ),
  };
  const names2 = { plural: "gadgets", kind: "Gadget" };
  expect((await server.define(definition({ schema, ...names2 }))).status).toBe(201);
  const path = "/apis/example.com/v1/namespaces/default/gadgets";
  const object = {
    apiVersion: "example.com/v1",
    kind: "Gadget",
    metadata: { name: "one" },
    ...Object.fromEntries(names.map((name) => [name, items])),
  };
  let isDone = false;
  const created = server.call("POST", path, object).then((answer) => {
    isDone = true;
    return answer;
  });
  let answers = 0;
  while (!isDone) {
    const { status } = await server.call("GET", definitionsPath);
    expect(status).toBe(200);
    answers++;
    // The call itself may need no turn of the event loop.
    await nextTurn();
  }
  expect((await created).text).toContain("call cost exceeds limit");
  expect(answers).toBeGreaterThan(10);
});

test("defaults must satisfy the rules of a definition", async () => {
  const ruled = (rule: string, more: object) => ({ "x-orchernetes-validations": [{ rule }], ...more });
  const schema = (n: number, list: readonly number[], rule = "self.all(x, x > 0)") => ({
    type: "object",
    properties: {
      n: ruled("self >= 3 && self == oldSelf", { type: "integer", default: n }),
      below: {
        type: "object",
        properties: { list: { ...integers(1000, rule), default: list } },
      },
    },
  });
  const named = { plural: "presets", kind: "Preset" };
  const wrong = await server.call("POST", definitionsPath, definition({ schema: schema(2, [0]), ...named }));
  const at = "spec.versions[0].schema.openAPIV3Schema.properties";
  expect([wrong.status, wrong.body.details.causes]).toEqual([
    422,
    [
      {
        reason: "FieldValueInvalid",
        message: 'Invalid value: "array": failed rule: self.all(x, x > 0)',
        field: `${at}[below].properties[list].default`,
      },
      {
        reason: "FieldValueInvalid",
        message: 'Invalid value: "integer": failed rule: self >= 3 && self == oldSelf',
        field: `${at}[n].default`,
      },
    ],
  ]);
  const { longestMs, tookMs } = await longestTurn(async () => {
    const long = await server.call(
      "POST",
      definitionsPath,
      definition({ schema: schema(3, items, expensive), ...named }),
    );
    expect([long.status, long.text]).toEqual([422, expect.stringContaining("call cost exceeds limit for rule")]);
  });
  expect(longestMs).toBeLessThan(Math.max(60, tookMs / 2));
  expect((await server.define(definition({ schema: schema(3, [1]), ...named }))).status).toBe(201);
});
