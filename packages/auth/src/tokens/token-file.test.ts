import type { Connection } from "@orchernetes/kernel";
import { describe, expect, test } from "vitest";
import { tokenDigest } from "./secrets.ts";
import { parseTokenFile, tokenFileAuthenticator } from "./token-file.ts";

describe("parseTokenFile", () => {
  test.each([
    ["plain", "t,alice,1", { name: "alice", uid: "1", groups: [], extra: {} }],
    ["groups in quotes", 't,alice,1,"a,b"', { name: "alice", uid: "1", groups: ["a", "b"], extra: {} }],
    ["one group bare", "t,alice,1,a", { name: "alice", uid: "1", groups: ["a"], extra: {} }],
    ["comma in a quoted name", 't,"x, y",1', { name: "x, y", uid: "1", groups: [], extra: {} }],
    ["comments and blank lines", "# note\n\nt,alice,1\n", { name: "alice", uid: "1", groups: [], extra: {} }],
  ])("%s", (_, text, want) => {
    expect(parseTokenFile(text, "tokens.csv").get(tokenDigest("t"))).toEqual(want);
  });

  test("names every faulty line, and no token", () => {
    const parse = () => parseTokenFile('secret1,a\nsecret2,,3\nok,b,1\nok,c,2\n"open,d,1', "f");
    expect(parse).toThrow(
      [
        'f, line 1: found 2 fields; a line is token,user name,user uid[,"group1,group2"]',
        "f, line 2: the user name (second field) is empty",
        'f, line 4: the token of user "c" is already used in an earlier line',
        'f, line 5: a quoted field does not end; write "" for a quote inside quotes',
      ].join("\n"),
    );
    expect(parse).not.toThrow(/secret/);
  });
});

test("a connection loses the token that is removed or given to another user, not one that it did not use", async () => {
  let text = "one,alice,1\ntwo,bob,2\nthree,carol,3,admins";
  const tokens = tokenFileAuthenticator(() => parseTokenFile(text, "f"));
  const connection = {} as Connection;
  const names = ["one", "two", "three", "four"].map(async (token) => {
    const result = await tokens.authenticateToken(token, [], token === "two" ? undefined : connection);
    return result.type === "authenticated" ? result.user.name : result.type;
  });
  expect(await Promise.all(names)).toEqual(["alice", "bob", "carol", "noOpinion"]);
  expect(tokens.hasLostTrust(connection)).toBe(false);
  text = "one,alice,1\nthree,carol,3,admins";
  expect(tokens.hasLostTrust(connection)).toBe(false);
  text = "one,alice,1\nthree,carol,3";
  expect(tokens.hasLostTrust(connection)).toBe(true);
  text = "three,carol,3,admins";
  expect(tokens.hasLostTrust(connection)).toBe(true);
});
