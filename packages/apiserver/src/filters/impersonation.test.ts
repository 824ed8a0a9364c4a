import { expect, test } from "vitest";
import type { Attributes, HttpRequest, UserInfo } from "../interfaces/index.ts";
import { Authorization } from "./authorization.ts";
import { impersonate } from "./impersonation.ts";

const admin: UserInfo = { name: "admin", groups: ["system:masters"], extra: {} };

/** Acts as the given headers say; answers who that is, and what had to be allowed for it. */
async function act(raw: readonly string[]) {
  const asked: string[] = [];
  const authorize = ({ resource, subresource, namespace, name }: Attributes) => {
    asked.push([resource, subresource, namespace, name].filter((part) => part !== "").join("/"));
    return { type: "Allow" } as const;
  };
  const headers: Record<string, string> = {};
  // As the runtime does it.
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]?.toLowerCase() ?? "";
    headers[name] = headers[name] === undefined ? (raw[i + 1] ?? "") : `${headers[name]}, ${raw[i + 1]}`;
  }
  const request = { headers, rawHeaders: raw } as unknown as HttpRequest;
  return { user: await impersonate(request, admin, new Authorization([{ authorize }])), asked };
}

const malformedAccounts = [
  "system:serviceaccount:ns",
  "system:serviceaccount:",
  "system:serviceaccount::name",
  "system:serviceaccount:ns:",
  "system:serviceaccount:a:b:c",
  "system:serviceaccount:Ns:name",
  "system:serviceaccount:n.s:name",
  "system:serviceaccount:ns:na_me",
];

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  [
    "a service account brings its groups",
    ["Impersonate-User", "system:serviceaccount:ns:name"],
    ["serviceaccounts/ns/name"],
    ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
  ],
  ...malformedAccounts.map((name): [string, readonly string[], readonly string[], readonly string[]] => [
    `${name} is a user without groups`,
    ["Impersonate-User", name],
    [`users/${name}`],
    ["system:authenticated"],
  ]),
  [
    "a group with a comma is one group",
    ["Impersonate-User", "bob", "Impersonate-Group", "team-a, system:masters"],
    ["users/bob", "groups/team-a, system:masters"],
    ["team-a, system:masters", "system:authenticated"],
  ],
  [
    "each group is asked for",
    ["Impersonate-User", "bob", "Impersonate-Group", "a", "impersonate-group", "b"],
    ["users/bob", "groups/a", "groups/b"],
    ["a", "b", "system:authenticated"],
  ],
  [
    "a user with a comma is one user, in UTF-8",
    ["Impersonate-User", Buffer.from("bob, zoë").toString("latin1")],
    ["users/bob, zoë"],
    ["system:authenticated"],
  ],
  [
    "extra values are one each",
    ["Impersonate-User", "bob", "Impersonate-Extra-Scopes", "a, b", "Impersonate-Extra-scopes", "c"],
    ["users/bob", "userextras/scopes/a, b", "userextras/scopes/c"],
    ["system:authenticated"],
  ],
])("%s", async (_name, raw, asked, groups) => {
  const found = await act(raw);
  expect(found.asked).toEqual(asked);
  expect(found.user.groups).toEqual(groups);
});

test("a name that is not UTF-8 is a bad request", async () => {
  await expect(act(["Impersonate-User", "\xff"])).rejects.toMatchObject({ status: { code: 400 } });
});
