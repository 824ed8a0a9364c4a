import { FakeClock } from "@orchernetes/kernel";
import { describe, expect, test } from "vitest";
import type { AuthRequest } from "../authenticators/authenticator.ts";
import { bearerTokenAuthenticator } from "./bearer-token-authenticator.ts";
import type { TokenResult } from "./token-authenticator.ts";

const users: Readonly<Record<string, string>> = { one: "alice", two: "bob" };

/** An authenticator over two tokens, the clock it goes by, and the tokens it was asked for. */
function setup(late = false, recheckAfterMs = 1000) {
  const asked: string[] = [];
  const clock = new FakeClock();
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
    { audiences: [], recheckAfterMs, clock },
  );
  const ask = async (connection: object, token: string | undefined) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const result = await authenticator.authenticate({ headers, socket: connection } as unknown as AuthRequest);
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
    clock.advance(999);
    expect(await ask(connection, "one")).toBe("alice");
    clock.advance(1);
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

test("without a time to believe, each request is checked", async () => {
  const { asked, ask } = setup(false, 0);
  const connection = {};
  expect([await ask(connection, "one"), await ask(connection, "one")]).toEqual(["alice", "alice"]);
  expect(asked).toEqual(["one", "one"]);
});

test.each<[string, readonly string[], readonly string[] | undefined, string]>([
  ["the accepted audience", ["api"], ["api"], "authenticated"],
  ["one of several", ["api", "other"], ["vault", "api"], "authenticated"],
  ["no audience", ["api"], undefined, "authenticated"],
  ["an audience where any is accepted", [], ["vault"], "authenticated"],
  ["the audience of others", ["api"], ["vault"], "rejected"],
])("a token for %s", async (_name, accepted, audiences, want) => {
  const result: TokenResult = {
    type: "authenticated",
    user: { name: "alice", groups: [], extra: {} },
    ...(audiences && { audiences }),
  };
  const authenticator = bearerTokenAuthenticator(
    { authenticateToken: () => result },
    { audiences: accepted, recheckAfterMs: 0, clock: new FakeClock() },
  );
  const request = { headers: { authorization: "Bearer x" }, socket: {} } as unknown as AuthRequest;
  expect((await authenticator.authenticate(request)).type).toBe(want);
});

test("a token in a subprotocol proves nothing for the Authorization header beside it", async () => {
  const clock = new FakeClock();
  const connection = {};
  const authenticator = bearerTokenAuthenticator(
    {
      authenticateToken: (token) => ({
        type: "authenticated",
        user: { name: users[token] ?? "nobody", groups: [], extra: {} },
      }),
    },
    { audiences: [], recheckAfterMs: 1000, clock },
  );
  const ask = async (token: string | undefined) => {
    const protocol = `base64url.bearer.authorization.o8s.io.${Buffer.from(token ?? "").toString("base64url")}`;
    const headers = {
      authorization: "Basic eDp5",
      ...(token !== undefined && { upgrade: "websocket", "sec-websocket-protocol": `${protocol}, v4.channel.o8s.io` }),
    };
    const result = await authenticator.authenticate({ headers, socket: connection } as unknown as AuthRequest);
    return result.type === "authenticated" ? result.user.name : result.type;
  };
  expect([await ask("one"), await ask("two"), await ask(undefined)]).toEqual(["alice", "bob", "noOpinion"]);
});
