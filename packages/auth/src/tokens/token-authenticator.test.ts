import type { HttpRequest } from "@orchernetes/kernel";
import { describe, expect, test } from "vitest";
import {
  bearerTokenAuthenticator,
  cachedTokenAuthenticator,
  forAudiences,
  type TokenResult,
} from "./token-authenticator.ts";

const users: Readonly<Record<string, string>> = { one: "alice", two: "bob" };

/** An authenticator over two tokens, the clock it goes by, and the tokens it was asked for. */
function setup(late = false) {
  const asked: string[] = [];
  const clock = { ms: 0 };
  const revoked = new Set<string>();
  const known = (token: string): TokenResult => {
    asked.push(token);
    const name = users[token];
    return name === undefined || revoked.has(token)
      ? { type: "noOpinion" }
      : { type: "authenticated", user: { name, groups: [], extra: {} } };
  };
  const authenticator = bearerTokenAuthenticator(
    { authenticateToken: (token) => (late ? Promise.resolve(known(token)) : known(token)) },
    [],
    { believeMs: 1000, now: () => clock.ms },
  );
  const ask = async (connection: object, token: string | undefined) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const result = await authenticator.authenticate({ headers, socket: connection } as unknown as HttpRequest);
    return result.type === "authenticated" ? result.user.name : result.type;
  };
  return { asked, clock, revoked, ask };
}

describe.each([
  { name: "that answers at once", late: false },
  { name: "that answers later", late: true },
])("a connection that repeats its token, with a check $name", ({ late }) => {
  test("is believed for a while, then checked again", async () => {
    const { asked, clock, revoked, ask } = setup(late);
    const connection = {};
    expect([await ask(connection, "one"), await ask(connection, "one")]).toEqual(["alice", "alice"]);
    expect(asked).toEqual(["one"]);
    revoked.add("one");
    clock.ms = 999;
    expect(await ask(connection, "one")).toBe("alice");
    clock.ms = 1000;
    expect(await ask(connection, "one")).toBe("rejected");
    expect(await ask(connection, "one")).toBe("rejected");
  });

  test("proves nothing for another token, another connection, or none", async () => {
    const { asked, ask } = setup(late);
    const connection = {};
    await ask(connection, "one");
    expect(await ask(connection, "two")).toBe("bob");
    expect(await ask(connection, "one")).toBe("alice");
    expect(await ask(connection, "three")).toBe("rejected");
    expect(await ask(connection, undefined)).toBe("noOpinion");
    expect(await ask({}, "one")).toBe("alice");
    expect(asked).toEqual(["one", "two", "one", "three", "one"]);
  });
});

describe("audiences", () => {
  const alice: TokenResult = { type: "authenticated", user: { name: "alice", groups: [], extra: {} } };

  test.each<[readonly string[], TokenResult]>([
    [["api"], { ...alice, audiences: ["api"] }],
    [["vault", "api"], { ...alice, audiences: ["api"] }],
    [["vault"], { type: "noOpinion" }],
    [[], { type: "noOpinion" }],
  ])(
    "a token that names none proves to %j what it proves to this server, and nothing to others",
    async (asked, want) => {
      for (const inner of [() => alice, async () => alice]) {
        const known = forAudiences({ authenticateToken: inner }, ["api", "other"]);
        expect(await known.authenticateToken("one", asked)).toEqual(want);
      }
      const unknown = forAudiences({ authenticateToken: () => ({ type: "rejected", reason: "no" }) }, ["api"]);
      expect(await unknown.authenticateToken("one", ["api"])).toEqual({ type: "rejected", reason: "no" });
    },
  );

  test("with spaces are not taken for several", async () => {
    const inner = (_: string, audiences: readonly string[]): TokenResult =>
      audiences.includes("a b") ? alice : { type: "noOpinion" };
    const cached = cachedTokenAuthenticator({ authenticateToken: inner }, { ttlMs: 1000, maxEntries: 9, now: () => 0 });
    expect(await cached.authenticateToken("one", ["a b"])).toEqual(alice);
    expect(await cached.authenticateToken("one", ["a", "b"])).toEqual({ type: "noOpinion" });
  });
});
