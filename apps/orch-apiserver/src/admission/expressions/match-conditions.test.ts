import type { Authorizer, Decision } from "@orchernetes/auth";
import { LongWork, systemEventLoop } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { expressionChecker } from "./expression-checker.ts";
import { type ExpressionAttributes, ExpressionInput } from "./expression-input.ts";
import { compileMatchConditions } from "./match-conditions.ts";

const attributes: ExpressionAttributes = {
  operation: "CREATE",
  user: { name: "alice", groups: ["staff"], extra: { scope: ["a"] } },
  resource: { group: "", version: "v1", resource: "pods" },
  kind: { group: "", version: "v1", kind: "Pod" },
  subresource: "",
  namespace: "ns",
  name: "p",
  object: { apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { app: "a" } } },
  oldObject: undefined,
  options: { apiVersion: "meta.o8s.io/v1", kind: "CreateOptions" },
  dryRun: false,
};

/** Allows what has the verb `get`, at once or later; fails for `fail`. */
const authorizer = (asked: string[], late: boolean): Authorizer => ({
  authorize({ verb, user, path, resource, namespace }) {
    asked.push([user.name, verb, path || `${namespace}/${resource}`].join(" "));
    const decision: Decision =
      verb === "fail"
        ? { type: "NoOpinion", errors: [new Error("away")] }
        : { type: verb === "get" ? "Allow" : "NoOpinion", reason: "r" };
    return late ? Promise.resolve(decision) : decision;
  },
});

async function matched(expressions: readonly string[], failurePolicy?: string, late = false) {
  const asked: string[] = [];
  let failures = 0;
  const conditions = compileMatchConditions(
    expressions.map((expression, i) => ({ name: `c${i}`, expression })),
    { failurePolicy, onFailure: () => failures++ },
  );
  const outcome = await conditions.evaluate(
    new ExpressionInput({ attributes, authorizer: authorizer(asked, late), ...work }),
  );
  return { outcome, asked, failures };
}

const work = { longWork: new LongWork(systemEventLoop), signal: new AbortController().signal };

const division = "expression '1 / 0 == 1' resulted in error: division by zero";

test.each<readonly [string, readonly string[], string | undefined, unknown, number]>([
  ["no conditions match", [], undefined, { matches: true }, 0],
  ["all must be true", ["object.metadata.name == 'p'", "request.name == 'p'"], undefined, { matches: true }, 0],
  ["one that is false decides", ["true", "false", "false"], undefined, { matches: false, condition: "c1" }, 0],
  ["one that is false decides beside errors", ["1 / 0 == 1", "false"], "Fail", { matches: false, condition: "c1" }, 1],
  ["an error fails the write", ["true", "1 / 0 == 1"], undefined, { error: division }, 1],
  [
    "different errors are told together, each once",
    ["1 / 0 == 1", "1 / 0 == 1", "object.x == 1"],
    "Fail",
    { error: `[${division}, expression 'object.x == 1' resulted in error: no such key: x]` },
    3,
  ],
  ["an error is ignored by the policy", ["1 / 0 == 1"], "Ignore", { matches: false }, 1],
  [
    "an expression that does not compile fails",
    ["params == 1"],
    "Fail",
    { error: expect.stringContaining("compilation error: compilation failed: ERROR: <input>:1:1: undeclared") },
    1,
  ],
])("%s", async (_, expressions, failurePolicy, want, failures) => {
  expect(await matched(expressions, failurePolicy)).toMatchObject({ outcome: want, failures });
});

test.each([false, true])("authorizers decide; later: %s", async (late) => {
  const check = "authorizer.path('/x').check('get').allowed()";
  expect(
    await matched([check, `${check} && authorizer.path('/x').check('get').reason() == 'r'`], "Fail", late),
  ).toEqual({ outcome: { matches: true }, asked: ["alice get /x"], failures: 0 });
  expect(
    await matched(
      ["authorizer.requestResource.check('get').allowed() && !authorizer.requestResource.check('put').allowed()"],
      "Fail",
      late,
    ),
  ).toEqual({ outcome: { matches: true }, asked: ["alice get ns/pods", "alice put ns/pods"], failures: 0 });
  expect(
    (await matched(["authorizer.serviceAccount('n', 's').path('/x').check('get').allowed()"], "Fail", late)).asked,
  ).toEqual(["system:serviceaccount:n:s get /x"]);
  expect((await matched(["authorizer.path('/x').check('fail').allowed()"], "Fail", late)).outcome).toEqual({
    error:
      "expression 'authorizer.path('/x').check('fail').allowed()' resulted in error: error in authorization check: away",
  });
});

test("an authorizer that throws is a failure of the expression", async () => {
  for (const authorize of [() => Promise.reject(new Error("gone")), () => raise(new Error("gone"))]) {
    const conditions = compileMatchConditions([
      { name: "c", expression: "authorizer.path('/x').check('get').allowed()" },
    ]);
    const outcome = await conditions.evaluate(new ExpressionInput({ attributes, authorizer: { authorize }, ...work }));
    expect(outcome).toEqual({ error: expect.stringContaining("error in authorization check: gone") });
  }
});

function raise(error: Error): never {
  throw error;
}

test("conditions end at their limits", async () => {
  const loop = (n: number) => `[${Array.from({ length: n }, (_, i) => i)}]`;
  const expensive = `${loop(100)}.all(a, ${loop(100)}.all(b, ${loop(100)}.all(c, a + b + c >= 0)))`;
  expect((await matched([expensive])).outcome).toEqual({
    error: expect.stringContaining("operation cancelled: actual cost limit exceeded"),
  });
  const check = "authorizer.path('/a').check('get').allowed() && authorizer.path('/b').check('get').allowed()";
  expect((await matched([check, check, check])).outcome).toEqual({ matches: true });
  expect((await matched([check, check, check, check])).outcome).toEqual({
    error: "validation failed due to running out of cost budget, no further validation rules will be run",
  });
});

test("expressions are checked when they are written", () => {
  const checker = expressionChecker()(false);
  expect(checker.check("object.x == 1", "bool")).toBeUndefined();
  expect(checker.check("object.x", "bool")).toBe("must evaluate to bool");
  expect(checker.check("params.x == 1", "bool")).toContain("undeclared reference to 'params'");
  expect(expressionChecker()(true).check("params.x == 1", "bool")).toBeUndefined();
  expect(checker.check("authorizer.path('/').check('get').reason()", "string", false)).toContain(
    "undeclared reference",
  );
  expect(checker.check("variables.a == 1", "bool")).toContain("undeclared reference to 'variables'");
  expect(checker.declare("a", "1 +")).toContain("Syntax error");
  expect(checker.declare("b", "variables.a == 1 ? 'x' : 'y'")).toBeUndefined();
  expect(checker.check("variables.b", "string")).toBeUndefined();
  expect(checker.check("variables.c", "string")).toContain("undefined field 'c'");
});
