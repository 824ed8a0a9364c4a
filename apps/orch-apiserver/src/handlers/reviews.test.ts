import { authentication, authorization } from "@orchernetes/api";
import { selfSubjectReviews } from "@orchernetes/api/authentication/v1beta1";
import { ApiError } from "@orchernetes/apimachinery";
import type { RequestContext, RequestHandler } from "@orchernetes/apiserver";
import type { Attributes, Authorizer, TokenAuthenticator, UserInfo } from "@orchernetes/auth";
import { describe, expect, test } from "vitest";
import type { RuleSource } from "../authorization/rights.ts";
import {
  localSubjectAccessReviewHandler,
  selfSubjectAccessReviewHandler,
  subjectAccessReviewHandler,
} from "./access-reviews.ts";
import { selfSubjectReviewHandler, tokenReviewHandler } from "./authentication-reviews.ts";
import { selfSubjectRulesReviewHandler } from "./rules-review.ts";

const me: UserInfo = { name: "me", groups: ["team"], extra: {} };

/** The status with which a handler answers a review. */
async function statusOf(
  handler: RequestHandler,
  definition: object,
  spec: object | undefined,
  user: UserInfo = me,
): Promise<unknown> {
  const admitted: unknown[] = [];
  const answer = await handler.handle({
    definition,
    user,
    now: new Date(0),
    body: spec === undefined ? undefined : { metadata: {}, spec },
    admit: async (operation: string) => void admitted.push(operation),
  } as unknown as RequestContext);
  expect(admitted).toEqual(["CREATE"]);
  expect(answer).toMatchObject({ type: "object", status: 201, object: { spec } });
  return (answer as { readonly object: { readonly status?: unknown } }).object.status;
}
const errorOf = async (work: Promise<unknown>): Promise<Pick<ApiError, "code" | "message">> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("there was no error");
};

describe("a review of a token", () => {
  const asked: (readonly [string, readonly string[]])[] = [];
  const answering = (result: Awaited<ReturnType<TokenAuthenticator["authenticateToken"]>>) =>
    tokenReviewHandler(
      {
        authenticateToken: async (token, audiences) => {
          asked.push([token, audiences]);
          return result;
        },
      } as TokenAuthenticator,
      ["api"],
    );
  const review = (handler: RequestHandler, spec: object) => statusOf(handler, authentication.tokenReviews, spec);

  test("shows its user, who is authenticated, and the audiences that it is for", async () => {
    const user = { name: "ann", uid: "7", groups: ["team"], extra: { scope: ["a", "b"] } };
    const handler = answering({ type: "authenticated", user, audiences: ["vault"] } as never);
    expect(await review(handler, { token: "t" })).toEqual({
      authenticated: true,
      user: { username: "ann", uid: "7", groups: ["team", "system:authenticated"], extra: { scope: ["a", "b"] } },
      audiences: ["vault"],
    });
  });

  test("leaves out what the user does not have", async () => {
    const user = { name: "ann", groups: [], extra: {} };
    expect(await review(answering({ type: "authenticated", user } as never), { token: "t" })).toEqual({
      authenticated: true,
      user: { username: "ann", groups: ["system:authenticated"] },
    });
  });

  test("says why a token is refused, and nothing of one that nobody knows", async () => {
    const rejected = { type: "rejected", reason: "token has expired" } as never;
    expect(await review(answering(rejected), { token: "t" })).toEqual({ user: {}, error: "token has expired" });
    expect(await review(answering({ type: "noOpinion" } as never), { token: "t" })).toEqual({ user: {} });
  });

  test("is about the audiences that are asked for, otherwise those of the API server", async () => {
    const handler = answering({ type: "noOpinion" } as never);
    asked.length = 0;
    await review(handler, { token: "a" });
    await review(handler, { token: "b", audiences: [] });
    await review(handler, { token: "c", audiences: ["vault"] });
    expect(asked).toEqual([
      ["a", ["api"]],
      ["b", ["api"]],
      ["c", ["vault"]],
    ]);
  });

  test.each([[{}], [{ token: "" }]])("needs a token: %j", async (spec) => {
    asked.length = 0;
    expect(await errorOf(review(answering({ type: "noOpinion" } as never), spec))).toEqual({
      code: 400,
      message: "token is required for TokenReview in authentication",
    });
    expect(asked).toEqual([]);
  });
});

test("a user sees own name, groups and extra fields, and no others", async () => {
  const handler = selfSubjectReviewHandler;
  const definition = selfSubjectReviews;
  expect(await statusOf(handler, definition, {})).toEqual({ userInfo: { username: "me", groups: ["team"] } });
  expect(await statusOf(handler, definition, {}, { ...me, uid: "1", extra: { a: ["b"] } })).toEqual({
    userInfo: { username: "me", uid: "1", groups: ["team"], extra: { a: ["b"] } },
  });
});

describe("a review of access", () => {
  const seen: Attributes[] = [];
  const answering = (decision: object): readonly Authorizer[] => [
    {
      authorize: async (attributes: Attributes) => {
        seen.push(attributes);
        return decision;
      },
    } as unknown as Authorizer,
  ];
  const resourceAttributes = {
    verb: "update",
    namespace: "a",
    group: "apps",
    version: "v1",
    resource: "deployments",
    subresource: "scale",
    name: "web",
  };
  const ofResource = {
    verb: "update",
    namespace: "a",
    apiGroup: "apps",
    apiVersion: "v1",
    resource: "deployments",
    subresource: "scale",
    name: "web",
    path: "",
    resourceRequest: true,
  };
  const ask = async (handler: RequestHandler, definition: object, spec: object): Promise<Attributes | undefined> => {
    seen.length = 0;
    await statusOf(handler, definition, spec);
    return seen[0];
  };
  const allow = answering({ type: "Allow" });

  test("asks about the user that it names, with all fields", async () => {
    const spec = { resourceAttributes, user: "ann", uid: "7", groups: ["g"], extra: { a: ["b"] } };
    const handler = subjectAccessReviewHandler(allow);
    expect(await ask(handler, authorization.subjectAccessReviews, spec)).toEqual({
      ...ofResource,
      user: { name: "ann", uid: "7", groups: ["g"], extra: { a: ["b"] } },
    });
  });

  test("of oneself asks about the one who asks, whoever the body names", async () => {
    const spec = { resourceAttributes, user: "admin", groups: ["system:masters"] };
    const handler = selfSubjectAccessReviewHandler(allow);
    expect(await ask(handler, authorization.selfSubjectAccessReviews, spec)).toEqual({ ...ofResource, user: me });
  });

  test("of a path is not one of a resource", async () => {
    const spec = { nonResourceAttributes: { verb: "get", path: "/metrics" } };
    const handler = selfSubjectAccessReviewHandler(allow);
    expect(await ask(handler, authorization.selfSubjectAccessReviews, spec)).toMatchObject({
      verb: "get",
      path: "/metrics",
      resource: "",
      resourceRequest: false,
    });
  });

  test.each<[object, object]>([
    [
      { type: "Allow", reason: "RBAC: allowed" },
      { allowed: true, reason: "RBAC: allowed" },
    ],
    [{ type: "Deny" }, { allowed: false, denied: true }],
    [{ type: "NoOpinion" }, { allowed: false }],
    [
      { type: "NoOpinion", reason: "no rule" },
      { allowed: false, reason: "no rule" },
    ],
  ])("with the decision %j has the status %j", async (decision, want) => {
    const handler = subjectAccessReviewHandler(answering(decision));
    const spec = { resourceAttributes, user: "ann" };
    expect(await statusOf(handler, authorization.subjectAccessReviews, spec)).toEqual(want);
  });

  test("must name a user, and either a resource or a path", async () => {
    const handler = subjectAccessReviewHandler(allow);
    for (const spec of [
      { resourceAttributes },
      { user: "ann" },
      { user: "ann", resourceAttributes, nonResourceAttributes: { path: "/" } },
    ]) {
      seen.length = 0;
      expect((await errorOf(statusOf(handler, authorization.subjectAccessReviews, spec))).code).toBe(422);
      expect(seen).toEqual([]);
    }
  });

  test("without a body is refused", async () => {
    const handler = localSubjectAccessReviewHandler(allow);
    const definition = authorization.localSubjectAccessReviews;
    expect(await errorOf(statusOf(handler, definition, undefined))).toEqual({
      code: 400,
      message: "a LocalSubjectAccessReview is expected in the body; found none",
    });
  });
});

describe("a review of rules", () => {
  const source = (fields: Partial<RuleSource>): RuleSource => ({ rulesFor: () => [], ...fields }) as RuleSource;
  const review = (sources: readonly RuleSource[], namespace = "a") =>
    statusOf(selfSubjectRulesReviewHandler(sources), authorization.selfSubjectRulesReviews, { namespace });

  test("separates resources from paths, and leaves out empty names", async () => {
    const rules = [
      { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["p"] },
      { verbs: ["list"], resources: ["nodes"], resourceNames: [] },
      { verbs: ["get"], nonResourceURLs: ["/healthz"] },
      { verbs: ["*"] },
    ];
    expect(await review([source({ rulesFor: () => rules })])).toEqual({
      resourceRules: [
        { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["p"] },
        { verbs: ["list"], apiGroups: [], resources: ["nodes"] },
      ],
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }],
      incomplete: false,
    });
  });

  test("joins the rules of all sources, for the user and the namespace", async () => {
    const asked: unknown[] = [];
    const of = (verb: string) =>
      source({
        rulesFor: (user, namespace) => {
          asked.push([user.name, namespace]);
          return [{ verbs: [verb], apiGroups: [""], resources: ["pods"] }];
        },
      });
    expect(await review([of("get"), of("list")], "team")).toMatchObject({
      resourceRules: [{ verbs: ["get"] }, { verbs: ["list"] }],
    });
    expect(asked).toEqual([
      ["me", "team"],
      ["me", "team"],
    ]);
  });

  test("needs a namespace", async () => {
    expect(await errorOf(review([], ""))).toEqual({ code: 400, message: "no namespace on request" });
  });
});
