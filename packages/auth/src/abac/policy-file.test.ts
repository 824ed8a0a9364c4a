import { expect, test } from "vitest";
import { type AbacPolicy, PolicyFileError, parseAbacPolicyFile } from "./policy-file.ts";

const GROUP = "abac.authorization.orchernetes.io";
const nothing: AbacPolicy = {
  user: "",
  group: "",
  readonly: false,
  apiGroup: "",
  resource: "",
  namespace: "",
  nonResourcePath: "",
};
const line = (spec: unknown): string => JSON.stringify({ apiVersion: `${GROUP}/v1beta1`, kind: "Policy", spec });
const v0 = { ...nothing, apiGroup: "*" };
const everyone = "system:authenticated";

test.each<[string, string, readonly AbacPolicy[]]>([
  ["an empty file", "", []],
  ["comments and blank lines", "# a\n\n  \t\r\n  # b", []],
  ["a policy without properties", line({}), [nothing]],
  [
    "all properties",
    line({ ...nothing, user: "u", group: "g", readonly: true, apiGroup: "apps", resource: "r", namespace: "n" }),
    [{ ...nothing, user: "u", group: "g", readonly: true, apiGroup: "apps", resource: "r", namespace: "n" }],
  ],
  ["properties that are null", line({ user: null, readonly: null }), [nothing]],
  ["every user", line({ user: "*" }), [{ ...nothing, group: everyone }]],
  ["every group", line({ user: "u", group: "*" }), [{ ...nothing, group: everyone }]],
  ["v0 without properties", "{}", [{ ...v0, group: everyone, resource: "*", namespace: "*", nonResourcePath: "*" }]],
  ["v0 with a resource", '{"user":"u","resource":"pods"}', [{ ...v0, user: "u", resource: "pods", namespace: "*" }]],
  [
    "v0 with a namespace",
    `{"apiVersion":"${GROUP}/v0","kind":"Policy","group":"g","namespace":"n","readonly":true}`,
    [{ ...v0, group: "g", namespace: "n", resource: "*", readonly: true }],
  ],
  ["v0 of every user", '{"user":"*","resource":"r"}', [{ ...v0, group: everyone, resource: "r", namespace: "*" }]],
])("%s", (_name, text, want) => {
  expect(parseAbacPolicyFile(text, "p").policies).toEqual(want);
});

test("every error is reported with its line", () => {
  const lines = [
    "# comment",
    "{",
    line({ user: "ok" }),
    "[]",
    '{"apiVersion":"v1","kind":"Policy"}',
    `{"apiVersion":"${GROUP}/v1beta1"}`,
    line({ user: 5, readonly: "yes" }),
    line("x"),
    '{"user":true}',
  ];
  const errors = (): readonly string[] => {
    try {
      parseAbacPolicyFile(lines.join("\n"), '"p.jsonl"');
    } catch (error) {
      if (error instanceof PolicyFileError) return error.errors;
      throw error;
    }
    return [];
  };
  expect(errors()).toEqual([
    expect.stringMatching(/^"p\.jsonl", line 2: not valid JSON: .*; want \{"apiVersion"/),
    expect.stringMatching(/^"p\.jsonl", line 4: found no JSON object; want/),
    `"p.jsonl", line 5: found apiVersion "v1"; want "${GROUP}/v1beta1"`,
    '"p.jsonl", line 6: found kind none; want "Policy"',
    '"p.jsonl", line 7: field spec.user: found 5; want a string',
    '"p.jsonl", line 7: field spec.readonly: found "yes"; want a boolean',
    '"p.jsonl", line 8: field spec: want an object',
    '"p.jsonl", line 9: field user: found true; want a string',
  ]);
});

test("unknown fields and lines of v0 are warned of", () => {
  const { warnings } = parseAbacPolicyFile(`${line({ user: "u", readOnly: true })}\n{"user":"u","apiGroup":"x"}`, "p");
  expect(warnings).toEqual([
    'p, line 1: unknown field "spec.readOnly" is ignored',
    'p, line 2: unknown field "apiGroup" is ignored',
    expect.stringMatching(/^p has 1 lines without apiVersion; want/),
  ]);
});
