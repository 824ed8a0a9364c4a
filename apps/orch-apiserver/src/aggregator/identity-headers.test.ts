import type { HttpRequest } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { forwardedHeaders, identityHeaders } from "./identity-headers.ts";

const user = { name: "jane", groups: ["dev", "ops"], extra: {} };
const identifying = { names: new Set(["x-user"]), prefixes: ["x-extra-"] };
const forwarded = (headers: Record<string, string>) =>
  forwardedHeaders({
    request: { headers, socket: { remoteAddress: "10.0.0.9" } } as unknown as HttpRequest,
    user,
    auditId: "id",
    identifying,
  });

test.each([
  [user, { "x-remote-user": "jane", "x-remote-group": ["dev", "ops"] }],
  [{ ...user, groups: [] }, { "x-remote-user": "jane" }],
  [{ ...user, groups: [], name: "é" }, { "x-remote-user": "Ã©" }],
  [
    { ...user, groups: [], extra: { "Example.com/a b%": ["1", "2"] } },
    { "x-remote-user": "jane", "x-remote-extra-example.com%2fa%20b%25": ["1", "2"] },
  ],
])("an identity becomes headers (%#)", (identity, headers) => {
  expect(identityHeaders(identity)).toEqual(headers);
});

test.each([
  { ...user, name: "a\r\nx-remote-group: system:masters" },
  { ...user, groups: ["a\nb"] },
  { ...user, extra: { a: ["\u0000"] } },
])("an identity that no header can hold is refused (%#)", (identity) => {
  expect(() => identityHeaders(identity)).toThrow(TypeError);
});

const own = { "x-remote-user": "jane", "x-remote-group": ["dev", "ops"], "audit-id": "id" };

test.each<[string, Record<string, string>, object]>([
  ["what the client says of itself is dropped", { "x-user": "root", "x-extra-a": "1", "x-remote-uid": "0" }, {}],
  ["credentials are dropped", { authorization: "Bearer x", "impersonate-user": "root" }, {}],
  [
    "headers of the connection are dropped",
    { connection: "x-a", "x-a": "1", te: "trailers", expect: "100-continue" },
    {},
  ],
  ["everything else is kept", { accept: "a/b", "x-b": "1" }, { accept: "a/b", "x-b": "1" }],
])("%s", (_, headers, kept) => {
  expect(forwarded(headers)).toEqual({ ...own, ...kept, "x-forwarded-for": "10.0.0.9" });
});

test("a request in a forwarding loop is rejected", () => {
  let headers: Record<string, string> = {};
  const goRound = () => {
    for (let i = 0; i < 50; i++) headers = { "x-forwarded-for": String(forwarded(headers)["x-forwarded-for"]) };
  };
  expect(goRound).toThrow("forwarded 10 times");
});

test("a request that comes in a circle is the client's error", () => {
  const times = (count: number) => forwarded({ "x-forwarded-for": Array(count).fill("10.0.0.1").join(", ") });
  expect(String(times(9)["x-forwarded-for"]).split(", ")).toHaveLength(10);
  expect(() => times(10)).toThrow(
    expect.objectContaining({ code: 400, message: expect.stringContaining("already forwarded 10 times") }),
  );
});
