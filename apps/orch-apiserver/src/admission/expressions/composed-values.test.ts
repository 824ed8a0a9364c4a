import { admissionEnvironment, compileAdmission, costLimits, type Type } from "@orchernetes/cel";
import { LongWork, systemEventLoop } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import type { ComposedExpressions } from "./composed-values.ts";
import { type ExpressionAttributes, ExpressionInput } from "./expression-input.ts";
import { ExpressionList } from "./expression-list.ts";

const attributes: ExpressionAttributes = {
  operation: "UPDATE",
  user: { name: "", groups: [], extra: {} },
  resource: { group: "", version: "v1", resource: "pods" },
  kind: { group: "", version: "v1", kind: "Pod" },
  subresource: "",
  namespace: "",
  name: "p",
  object: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } },
  oldObject: undefined,
  options: {},
  dryRun: false,
};

function compiled(variables: Readonly<Record<string, string>>) {
  const types = new Map<string, Type>();
  const composed = new Map<string, ReturnType<typeof compileAdmission>>();
  for (const [name, expression] of Object.entries(variables)) {
    const one = compileAdmission(expression, "any", admissionEnvironment({ authorizer: true, composed: types }));
    types.set(name, typeof one === "string" ? { kind: "dyn" } : one.type);
    composed.set(name, one);
  }
  return { types, composed };
}

async function evaluated(
  variables: Readonly<Record<string, string>>,
  expression: string,
  budget: number = costLimits.request,
  signal: AbortSignal = new AbortController().signal,
) {
  const { types, composed } = compiled(variables);
  let asked = 0;
  const list = new ExpressionList([{ expression, result: "bool" }], { authorizer: true, composed: types });
  const authorize = () => {
    asked++;
    return Promise.resolve({ type: "Allow" } as const);
  };
  const input = new ExpressionInput({
    attributes,
    authorizer: { authorize },
    composed: composed satisfies ComposedExpressions,
    longWork: new LongWork(systemEventLoop),
    signal,
  });
  return { list: await list.evaluate(input, budget), asked };
}

test("variables are evaluated once, when they are read, and may use those before them", async () => {
  const variables = {
    may: "authorizer.path('/x').check('get').allowed()",
    both: "variables.may && variables.may",
    unread: "1 / 0",
  };
  const { list, asked } = await evaluated(variables, "variables.both && variables.may && variables.both");
  expect(list).toMatchObject({ outcomes: [{ value: true }] });
  expect(asked).toBe(1);
});

test("what a variable fails of is told with its name", async () => {
  expect((await evaluated({ a: "1 / 0" }, "variables.a == 1")).list).toMatchObject({
    outcomes: [
      {
        error: `expression 'variables.a == 1' resulted in error: composited variable "a" fails to evaluate: division by zero`,
      },
    ],
  });
  expect((await evaluated({ a: "1 +" }, "variables.a == 1")).list).toMatchObject({
    outcomes: [{ error: expect.stringContaining(`composited variable "a" fails to compile: compilation failed`) }],
  });
});

test("variables count towards the budget", async () => {
  const items = `[${Array.from({ length: 100 }, (_, i) => i)}]`;
  const expensive = `${items}.all(a, ${items}.all(b, a + b >= 0))`;
  const variables = { a: expensive, b: expensive, c: expensive };
  const { list } = await evaluated(variables, "variables.a && variables.b && variables.c", 100_000);
  expect(list).toEqual({ error: expect.stringContaining("running out of cost budget") });
});

const numbers = (count: number): string => `[${Array.from({ length: count }, (_, i) => i)}]`;
/** Costs some 600,000. */
const long = `${numbers(250)}.all(a, ${numbers(250)}.all(b, a + b >= 0))`;

test.each([
  ["selected", "variables.long"],
  ["tested", "has(variables.long) && variables.long"],
  ["of an object of any type", "dyn(variables).long == true"],
  ["in a list", "[variables].all(v, v.long)"],
  ["that others read", "variables.other"],
])("a variable that takes long, %s, leaves turns to others", async (_, expression) => {
  let turns = 0;
  let counting = true;
  const count = async () => {
    for (; counting; turns++) await systemEventLoop.nextTurn();
  };
  const counted = count();
  const { list } = await evaluated({ long, other: "variables.long && variables.long" }, expression);
  counting = false;
  await counted;
  expect(list).toMatchObject({ outcomes: [{ value: true }] });
  expect("remaining" in list ? costLimits.request - list.remaining : 0).toBeGreaterThan(300_000);
  expect(turns).toBeGreaterThan(4);
});

test("an expression that takes long ends with its request", async () => {
  const controller = new AbortController();
  const result = evaluated({ long }, "variables.long", costLimits.request, controller.signal);
  setImmediate(() => controller.abort());
  await expect(result).rejects.toMatchObject({ status: { reason: "Timeout" } });
});
