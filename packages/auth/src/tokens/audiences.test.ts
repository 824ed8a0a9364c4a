import { expect, test } from "vitest";
import { forAudiences } from "./audiences.ts";
import type { TokenResult } from "./token-authenticator.ts";

const alice: TokenResult = { type: "authenticated", user: { name: "alice", groups: [], extra: {} } };

test.each<[readonly string[], TokenResult]>([
  [["api"], { ...alice, audiences: ["api"] }],
  [["vault", "api"], { ...alice, audiences: ["api"] }],
  [["vault"], { type: "noOpinion" }],
  [[], { type: "noOpinion" }],
])("a token that names none proves to %j what it proves to this server, and nothing to others", async (asked, want) => {
  for (const inner of [() => alice, async () => alice]) {
    const known = forAudiences({ authenticateToken: inner }, ["api", "other"]);
    expect(await known.authenticateToken("one", asked)).toEqual(want);
  }
  const unknown = forAudiences({ authenticateToken: () => ({ type: "rejected", reason: "no" }) }, ["api"]);
  expect(await unknown.authenticateToken("one", ["api"])).toEqual({ type: "rejected", reason: "no" });
});
