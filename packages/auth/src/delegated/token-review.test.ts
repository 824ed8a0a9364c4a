import { expect, test } from "vitest";
import type { TokenResult } from "../tokens/token-authenticator.ts";
import { tokenReviewAuthenticator } from "./token-review.ts";

const reviewedUser = { username: "bob", uid: "u1", groups: ["dev"], extra: { k: ["v"] } };
const user = { name: "bob", uid: "u1", groups: ["dev"], extra: { k: ["v"] } };
const bob = (audiences?: readonly string[]): TokenResult => ({
  type: "authenticated",
  user,
  ...(audiences && { audiences }),
});
const yes = { authenticated: true, user: reviewedUser };
const unknown: TokenResult = { type: "noOpinion" };

interface Row {
  readonly name: string;
  readonly accepted?: readonly string[];
  readonly implied?: readonly string[];
  readonly status: unknown;
  readonly want: TokenResult;
}
const rows: readonly Row[] = [
  { name: "a known token", status: yes, want: bob() },
  { name: "a known token of a server with audiences", status: { ...yes, audiences: ["api"] }, want: bob() },
  { name: "an unknown token", status: { user: {} }, want: unknown },
  { name: "an invalid token", status: { user: {}, error: "expired" }, want: { type: "rejected", reason: "expired" } },
  { name: "an accepted audience", accepted: ["x", "y"], status: { ...yes, audiences: ["y"] }, want: bob(["y"]) },
  { name: "an audience of others", accepted: ["x"], status: { ...yes, audiences: ["y"] }, want: unknown },
  { name: "a server that knows nothing of audiences", accepted: ["x"], status: yes, want: unknown },
  { name: "an implied audience", accepted: ["x"], implied: ["x", "z"], status: yes, want: bob(["x"]) },
  { name: "an implied audience of others", accepted: ["x"], implied: ["z"], status: yes, want: unknown },
  { name: "no status", status: undefined, want: unknown },
  { name: "a status that only looks true", status: { ...yes, authenticated: "true" }, want: unknown },
  {
    name: "a user without details",
    status: { authenticated: true, user: { username: "bob" } },
    want: { type: "authenticated", user: { name: "bob", groups: [], extra: {} } },
  },
];

test.each(rows)("$name", async ({ accepted = [], implied, status, want }) => {
  const sent: unknown[] = [];
  const authenticator = tokenReviewAuthenticator({
    review: async (path, body) => {
      sent.push(path, body);
      return { status };
    },
    ...(implied && { impliedAudiences: implied }),
  });
  expect(await authenticator.authenticateToken("secret", accepted)).toEqual(want);
  const spec = { token: "secret", ...(accepted.length > 0 && { audiences: accepted }) };
  expect(sent).toEqual([
    "/apis/authentication.o8s.io/v1/tokenreviews",
    { apiVersion: "authentication.o8s.io/v1", kind: "TokenReview", spec },
  ]);
});

test("a server that cannot be asked is an error", async () => {
  const authenticator = tokenReviewAuthenticator({ review: () => Promise.reject(new Error("away")) });
  await expect(authenticator.authenticateToken("secret", [])).rejects.toThrow("away");
});
