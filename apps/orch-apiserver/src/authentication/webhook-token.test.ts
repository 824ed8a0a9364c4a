import { systemClock } from "@orchernetes/kernel";
import { startWebhookServer, type WebhookRequest, type WebhookServer } from "@orchernetes/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type WebhookTokenOptions, webhookTokenAuthenticator } from "./webhook-token.ts";

let service: WebhookServer;
let end: AbortController;
const yes = { authenticated: true, user: { username: "alice", uid: "1", groups: ["g"], extra: { k: ["v"] } } };
const answer = (status: object, version = "v1") => ({
  type: "answer" as const,
  body: (_: WebhookRequest) => ({ kind: "TokenReview", apiVersion: `authentication.o8s.io/${version}`, status }),
});
beforeAll(async () => {
  service = await startWebhookServer({ behaviour: answer(yes) });
});
afterAll(() => service.stop());
beforeEach(() => {
  end = new AbortController();
});
afterEach(() => end.abort());

const authenticatorOf = (options: Partial<WebhookTokenOptions> = {}) =>
  webhookTokenAuthenticator({
    endpoint: { endpoint: `${service.url}/authn`, tls: () => ({ ca: service.caPem }) },
    version: "v1",
    cacheTtlMs: 60_000,
    audiences: ["api"],
    clock: systemClock,
    signal: end.signal,
    ...options,
  });

test.each(["v1", "v1beta1"] as const)("%s: requests with one token make one review", async (version) => {
  service.behave(answer(yes, version));
  const before = service.requests.length;
  const authenticator = authenticatorOf({ version });
  const asked = () => authenticator.authenticateToken("secret", ["api"]);
  const results = [...(await Promise.all([asked(), asked()])), await asked()];
  const user = { name: "alice", uid: "1", groups: ["g"], extra: { k: ["v"] } };
  expect(results).toEqual(Array(3).fill({ type: "authenticated", user, audiences: ["api"] }));
  expect(service.requests.slice(before).map(({ path, body }) => ({ path, body }))).toEqual([
    {
      path: "/authn",
      body: {
        apiVersion: `authentication.o8s.io/${version}`,
        kind: "TokenReview",
        spec: { token: "secret", audiences: ["api"] },
      },
    },
  ]);
});

test.each<readonly [string, object, object, number]>([
  ["an unknown token is remembered", { authenticated: false }, { type: "noOpinion" }, 1],
  ["an error is not", { authenticated: false, error: "busy" }, { type: "rejected", reason: "busy" }, 2],
  ["other audiences are none", { ...yes, audiences: ["other"] }, { type: "noOpinion" }, 1],
  ["the audiences that are shared", { ...yes, audiences: ["x", "api"] }, { audiences: ["api"] }, 1],
])("%s", async (_, status, expected, times) => {
  service.behave(answer(status));
  const before = service.requests.length;
  const authenticator = authenticatorOf();
  for (let i = 0; i < 2; i++) expect(await authenticator.authenticateToken("t", ["api"])).toMatchObject(expected);
  expect(service.requests.length - before).toBe(times);
});

test("an answer of another version or kind is none", async () => {
  service.behave(answer(yes, "v1beta1"));
  await expect(authenticatorOf().authenticateToken("t", ["api"])).rejects.toThrow("want TokenReview");
  service.behave({ type: "answer", body: () => [] });
  await expect(authenticatorOf().authenticateToken("t", ["api"])).rejects.toThrow("want TokenReview");
});
