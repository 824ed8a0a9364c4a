import { type Attributes, Authorization, type UserInfo } from "@orchernetes/auth";
import type { HttpRequest } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { impersonate } from "./impersonation.ts";

const admin: UserInfo = { name: "admin", groups: ["system:masters"], extra: {} };

/** Acts as the given headers say, all allowed but for `refused`; answers who that is, and what had to be allowed for it. */
async function act(raw: readonly string[], refused = "") {
  const asked: string[] = [];
  const authorize = ({ verb, resource, subresource, namespace, name }: Attributes) => {
    expect(verb).toBe("impersonate");
    const what = [resource, subresource, namespace, name].filter((part) => part !== "").join("/");
    asked.push(what);
    return what === refused ? ({ type: "NoOpinion", reason: "" } as const) : ({ type: "Allow" } as const);
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
  [
    "a uid is asked for",
    ["Impersonate-User", "bob", "Impersonate-Uid", "u-1"],
    ["users/bob", "uids/u-1"],
    ["system:authenticated"],
  ],
  [
    "groups of a service account that are named are all that it has",
    ["Impersonate-User", "system:serviceaccount:ns:name", "Impersonate-Group", "a"],
    ["serviceaccounts/ns/name", "groups/a"],
    ["a", "system:authenticated"],
  ],
  [
    "nobody is not authenticated",
    ["Impersonate-User", "system:anonymous"],
    ["users/system:anonymous"],
    ["system:unauthenticated"],
  ],
  [
    "nobody with a group is not authenticated",
    ["Impersonate-User", "system:anonymous", "Impersonate-Group", "a"],
    ["users/system:anonymous", "groups/a"],
    ["a", "system:unauthenticated"],
  ],
  [
    "who is named as not authenticated is not",
    ["Impersonate-User", "bob", "Impersonate-Group", "system:unauthenticated"],
    ["users/bob", "groups/system:unauthenticated"],
    ["system:unauthenticated"],
  ],
])("%s", async (_name, raw, asked, groups) => {
  const found = await act(raw);
  expect(found.asked).toEqual(asked);
  expect(found.user.groups).toEqual(groups);
});

test("a name that is not UTF-8 is rejected with 400", async () => {
  await expect(act(["Impersonate-User", "\xff"])).rejects.toMatchObject({ status: { code: 400 } });
});

test("uid and extra values are taken from the headers, with the percent-encoding of keys decoded", async () => {
  const raw = ["Impersonate-User", "bob", "Impersonate-Uid", "u-1", "Impersonate-Extra-Example.Com%2fScope", "a"];
  expect((await act(raw)).user).toEqual({
    name: "bob",
    uid: "u-1",
    groups: ["system:authenticated"],
    extra: { "example.com/scope": ["a"] },
  });
});

const everything = [
  ["Impersonate-User", "bob"],
  ["Impersonate-Group", "system:masters"],
  ["Impersonate-Uid", "u-1"],
  ["Impersonate-Extra-Scopes", "a"],
] as const;

test.each(["users/bob", "groups/system:masters", "uids/u-1", "userextras/scopes/a"])(
  "without the permission for %s nothing is impersonated",
  async (refused) => {
    await expect(act(everything.flat(), refused)).rejects.toMatchObject({ status: { code: 403 } });
  },
);

test.each(everything.slice(1).map(([name, value]) => [name, value] as const))(
  "%s without a user is a bad request",
  async (...header) => {
    await expect(act(header)).rejects.toMatchObject({ status: { code: 400 } });
    await expect(act(["Impersonate-User", "", ...header])).rejects.toMatchObject({ status: { code: 400 } });
  },
);
