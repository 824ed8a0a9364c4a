import { expect, test } from "vitest";
import { dynType, intType } from "../language/types.ts";
import { bind, bindAny } from "../schema/bind.ts";
import { Failure, type Outcome } from "../values/value.ts";
import { type AdmissionVariables, admissionEnvironment, compileAdmission } from "./admission-expression.ts";
import { type AccessCheck, authorizerValue, requestResourceValue } from "./authorizer.ts";
import { requestDeclaration } from "./request-declaration.ts";

const all: AdmissionVariables = { params: dynType, authorizer: true, composed: new Map([["n", intType]]) };
const access = { group: "apps", resource: "deployments", subresource: "scale", namespace: "ns", name: "d" };

/** What an expression evaluates to, and what it asks the authorizers. */
function evaluated(source: string) {
  const asked: AccessCheck[] = [];
  const authorize = (check: AccessCheck) => {
    asked.push(check);
    return check.verb === "fail"
      ? new Failure("error in authorization check: away")
      : { allowed: check.verb === "get", reason: `because of ${check.verb}` };
  };
  const program = compileAdmission(source, "bool", admissionEnvironment(all));
  if (typeof program === "string") throw new Error(program);
  const request = { userInfo: { username: "alice", groups: ["g"] }, operation: "CREATE", dryRun: false };
  const { outcome, cost } = program.evaluate(
    new Map<string, Outcome>([
      ["object", bindAny({ metadata: { name: "a", labels: undefined } })],
      ["oldObject", null],
      ["params", bindAny({ max: 3 })],
      ["request", bind(request, requestDeclaration)],
      ["variables", bindAny({ n: 1 })],
      ["authorizer", authorizerValue(authorize)],
      ["authorizer.requestResource", requestResourceValue(authorize, access)],
    ]),
    1_000_000,
  );
  return { outcome: outcome instanceof Failure ? outcome.message : outcome, cost, asked };
}

test.each<readonly [string, unknown]>([
  ["object.metadata.name == 'a'", true],
  ["oldObject == null", true],
  // A member that is undefined is not there.
  ["has(object.metadata.labels)", false],
  ["request.operation == 'CREATE' && !request.dryRun", true],
  ["'g' in request.userInfo.groups", true],
  ["request.name == ''", "no such key: name"],
  ["has(request.namespace)", false],
  ["variables.n < params.max", true],
  ["authorizer.path('  ').check('get').allowed()", "path must not be empty"],
  ["authorizer.group('').resource('').check('get').allowed()", "resource must not be empty"],
  ["authorizer.serviceAccount('a.b', 'c').path('/x').check('get').allowed()", "Invalid service account namespace"],
  ["authorizer.serviceAccount('a', '-').path('/x').check('get').allowed()", "Invalid service account name"],
  ["authorizer.path('/x').check('fail').allowed() || true", true],
  ["authorizer.path('/x').check('fail').allowed()", "error in authorization check: away"],
  ["authorizer.path('/x').check('list').reason() == 'because of list'", true],
  ["[authorizer].all(authorizer, authorizer.path('/x').check('get').allowed())", true],
])("%s", (source, want) => {
  expect(evaluated(source).outcome).toEqual(want);
});

test("checks name the subject and what they are about", () => {
  const requester = { kind: "requester" };
  expect(evaluated("authorizer.path('/x').check('get').allowed()").asked).toEqual([
    { kind: "path", subject: requester, path: "/x", verb: "get" },
  ]);
  expect(
    evaluated("authorizer.group('g').resource('r').subresource('s').namespace('n').name('m').check('get').allowed()")
      .asked,
  ).toEqual([
    {
      kind: "resource",
      subject: requester,
      group: "g",
      resource: "r",
      subresource: "s",
      namespace: "n",
      name: "m",
      verb: "get",
    },
  ]);
  expect(evaluated("authorizer.requestResource.check('update').allowed()").asked).toEqual([
    { kind: "resource", subject: requester, ...access, verb: "update" },
  ]);
  expect(evaluated("authorizer.serviceAccount('n', 'a.b').path('/x').check('get').allowed()").asked).toEqual([
    { kind: "path", subject: { kind: "serviceAccount", namespace: "n", name: "a.b" }, path: "/x", verb: "get" },
  ]);
});

test("an expression may ask twice, and a third question is above its limit", () => {
  const ask = "authorizer.path('/x').check('get').allowed()";
  expect(evaluated(`${ask} && ${ask}`)).toMatchObject({ outcome: true, asked: [{}, {}] });
  const third = evaluated(`${ask} && ${ask} && ${ask}`);
  expect(third.outcome).toBe("operation cancelled: actual cost limit exceeded");
  expect(third.asked).toHaveLength(2);
});

test("the type of an expression decides whether it fits", () => {
  const scope = admissionEnvironment(all);
  expect(compileAdmission("dyn('a')", "stringOrNull", scope)).toBe("must evaluate to one of [string null_type]");
  expect(compileAdmission("null", "stringOrNull", scope)).toBeTypeOf("object");
  expect(compileAdmission("null", "string", scope)).toBe("must evaluate to string");
});

test.each<readonly [string, AdmissionVariables, string | undefined]>([
  ["object.spec.x", all, "must evaluate to bool"],
  ["1 == 1", all, undefined],
  ["params == null", { authorizer: true }, "undeclared reference to 'params'"],
  ["authorizer.path('/').check('get').allowed()", { authorizer: false }, "undeclared reference to 'authorizer'"],
  ["variables.n == 1", { authorizer: true }, "undeclared reference to 'variables'"],
  ["variables.m == 1", all, "undefined field 'm'"],
  ["request.object == null", all, "undefined field 'object'"],
  ["namespaceObject == null", all, "undeclared reference to 'namespaceObject'"],
  ["authorizer.requestResource.check(1).allowed()", all, "found no matching overload for 'check'"],
])("%s is an expression, or it is known why not", (source, variables, want) => {
  const compiled = compileAdmission(source, "bool", admissionEnvironment(variables));
  if (want === undefined) expect(compiled).toBeTypeOf("object");
  else expect(compiled).toContain(want);
});
