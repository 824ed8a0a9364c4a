import { expect, test } from "vitest";
import { anonymousUser, isAnonymous, loopbackUser, type UserInfo, withAuthenticatedGroup } from "./user.ts";

const user = (name: string, ...groups: readonly string[]): UserInfo => ({ name, groups, extra: {} });

test.each<[string, UserInfo, readonly string[], boolean]>([
  ["a user without groups", user("alice"), ["system:authenticated"], false],
  ["a user with a group", user("alice", "dev"), ["dev", "system:authenticated"], false],
  ["a member already", user("alice", "system:authenticated", "dev"), ["system:authenticated", "dev"], false],
  ["a member of the unauthenticated", user("alice", "system:unauthenticated"), ["system:unauthenticated"], true],
  ["a certificate in the name of the anonymous user", user("system:anonymous", "dev"), ["dev"], true],
  ["the anonymous user", anonymousUser, ["system:unauthenticated"], true],
  ["the server itself", loopbackUser, ["system:authenticated", "system:masters"], false],
])("%s", (_name, given, groups, anonymous) => {
  expect(withAuthenticatedGroup(given)).toEqual({ ...given, groups });
  expect(isAnonymous(given)).toBe(anonymous);
});
