import { expect, test } from "vitest";
import { parseServiceAccountUserName, serviceAccountGroups, serviceAccountUserName } from "./service-account.ts";

test("the user name of a service account is read back", () => {
  expect(serviceAccountUserName("team-a", "build.bot")).toBe("system:serviceaccount:team-a:build.bot");
  expect(parseServiceAccountUserName("system:serviceaccount:team-a:build.bot")).toEqual({
    namespace: "team-a",
    name: "build.bot",
  });
});

test.each([
  "",
  "admin",
  "system:serviceaccount",
  "system:serviceaccount:",
  "system:serviceaccount:a",
  "system:serviceaccount:a:",
  "system:serviceaccount::a",
  "system:serviceaccount:a:b:c",
  "system:serviceaccounts:a:b",
  " system:serviceaccount:a:b",
  "System:ServiceAccount:a:b",
  // A namespace is one label; a name may have several.
  "system:serviceaccount:a.b:c",
  "system:serviceaccount:A:b",
  "system:serviceaccount:a:B",
  "system:serviceaccount:a:b\n",
  `system:serviceaccount:${"a".repeat(64)}:b`,
  `system:serviceaccount:a:${"b".repeat(254)}`,
])("%j is not the user name of a service account", (userName) => {
  expect(parseServiceAccountUserName(userName)).toBeUndefined();
});

test("a service account is in the group of all and in that of its namespace", () => {
  expect(serviceAccountGroups("a")).toEqual(["system:serviceaccounts", "system:serviceaccounts:a"]);
});
