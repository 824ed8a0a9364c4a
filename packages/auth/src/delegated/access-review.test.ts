import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { type Attributes, pathAttributes } from "../authorizers/authorizer.ts";
import { accessReviewAuthorizer } from "./access-review.ts";

const user = { name: "bob", uid: "u1", groups: ["dev"], extra: { k: ["v"] } };
const subject = { user: "bob", uid: "u1", groups: ["dev"], extra: { k: ["v"] } };
const metrics = pathAttributes(user, "get", "/metrics");
const stats: Attributes = {
  ...metrics,
  path: "",
  apiVersion: "v1",
  resource: "nodes",
  subresource: "stats",
  name: "n",
  resourceRequest: true,
};

/** An authorizer whose reviews all have this status, and what it asked for. */
function setup(status: unknown) {
  const clock = new FakeClock();
  const asked: unknown[] = [];
  const authorizer = accessReviewAuthorizer({
    review: async (_path, body) => {
      asked.push(body);
      if (status instanceof Error) throw status;
      return { status };
    },
    allowTtlMs: 20,
    denyTtlMs: 10,
    clock,
  });
  return { clock, asked, authorizer };
}

test.each<[string, unknown, object]>([
  ["allowed", { allowed: true, reason: "role" }, { type: "Allow", reason: "role" }],
  ["denied", { allowed: false, denied: true, reason: "no" }, { type: "Deny", reason: "no" }],
  ["allowed and denied", { allowed: true, denied: true }, { type: "Deny", reason: "" }],
  ["neither", { allowed: false }, { type: "NoOpinion", reason: "" }],
  ["only truthy", { allowed: "yes" }, { type: "NoOpinion", reason: "" }],
  ["no status", undefined, { type: "NoOpinion", reason: "" }],
])("a review that is %s", async (_name, status, want) => {
  expect(await setup(status).authorizer.authorize(metrics)).toEqual(want);
});

test.each<[string, Attributes, object]>([
  ["path", metrics, { ...subject, nonResourceAttributes: { path: "/metrics", verb: "get" } }],
  [
    "resource",
    stats,
    {
      ...subject,
      resourceAttributes: {
        namespace: "",
        verb: "get",
        group: "",
        version: "v1",
        resource: "nodes",
        subresource: "stats",
        name: "n",
      },
    },
  ],
])("a %s is asked about as what it is", async (_name, attributes, spec) => {
  const { asked, authorizer } = setup({ allowed: true });
  await authorizer.authorize(attributes);
  expect(asked).toEqual([{ apiVersion: "authorization.o8s.io/v1", kind: "SubjectAccessReview", spec }]);
});

test("v1beta1 has another name for the groups", async () => {
  const asked: unknown[] = [];
  const authorizer = accessReviewAuthorizer({
    review: async (path, body) => {
      asked.push(path, body);
      return {};
    },
    allowTtlMs: 1,
    denyTtlMs: 1,
    clock: new FakeClock(),
    version: "v1beta1",
  });
  await authorizer.authorize(metrics);
  const { groups, ...others } = subject;
  expect(asked).toEqual([
    "/apis/authorization.o8s.io/v1beta1/subjectaccessreviews",
    {
      apiVersion: "authorization.o8s.io/v1beta1",
      kind: "SubjectAccessReview",
      spec: { ...others, group: groups, nonResourceAttributes: { path: "/metrics", verb: "get" } },
    },
  ]);
});

test.each<[string, unknown, readonly number[]]>([
  ["a permission", { allowed: true }, [1, 1, 2]],
  ["a refusal", { allowed: false }, [1, 2, 3]],
  ["a failure", new Error("away"), [1, 2, 3]],
])("%s is kept for its time", async (_name, status, want) => {
  const { clock, asked, authorizer } = setup(status);
  const seen: number[] = [];
  for (const passes of [0, 10, 10]) {
    clock.advance(passes);
    await Promise.resolve(authorizer.authorize(metrics)).catch(() => undefined);
    seen.push(asked.length);
  }
  expect(seen).toEqual(want);
});

test("a decision is kept for the one user and request only, and not for requests that would fill the memory", async () => {
  const { asked, authorizer } = setup({ allowed: true });
  const ask = async (attributes: Attributes) => {
    const before = asked.length;
    await authorizer.authorize(attributes);
    return asked.length > before;
  };
  expect([await ask(metrics), await ask(metrics)]).toEqual([true, false]);
  expect(await ask({ ...metrics, user: { ...user, groups: ["ops"] } })).toBe(true);
  expect(await ask({ ...metrics, user: { ...user, extra: {} } })).toBe(true);
  expect(await ask({ ...metrics, path: "/other" })).toBe(true);
  const long = { ...metrics, path: `/${"x".repeat(10_000)}` };
  expect([await ask(long), await ask(long)]).toEqual([true, true]);
});
