import { expect, test } from "vitest";
import { ConfigFileError, parseConfig } from "../load-config-file.ts";
import { auditPolicySchema } from "./audit-policy.ts";

const policy = (fields: object) =>
  parseConfig({ apiVersion: "audit.o8s.io/v1", kind: "Policy", ...fields }, auditPolicySchema, "file");
function errorsOf(fields: object): readonly string[] {
  try {
    policy(fields);
  } catch (error) {
    if (error instanceof ConfigFileError) return error.errors;
    throw error;
  }
  return [];
}

test("a policy with one rule has all defaults", () => {
  expect(policy({ rules: [{ level: "Metadata" }] })).toMatchObject({
    omitStages: [],
    omitManagedFields: false,
    rules: [{ level: "Metadata", users: [], resources: [], nonResourceURLs: [], omitStages: [] }],
  });
});

test.each<[string, object, string]>([
  ["no rules", {}, "file, field rules: missing; want a list"],
  ["an empty list of rules", { rules: [] }, "file, field rules: invalid value []; want it not empty"],
  ["no level", { rules: [{}] }, "field rules[0].level: missing"],
  ["an unknown level", { rules: [{ level: "All" }] }, 'field rules[0].level: invalid value "All"; want one of "None"'],
  [
    "an unknown stage",
    { rules: [{ level: "None" }], omitStages: ["Begin"] },
    'field omitStages[0]: invalid value "Begin"',
  ],
  ["an unknown field", { rules: [{ level: "None", verb: [] }] }, "field rules[0].verb: unknown field"],
  [
    "paths beside resources",
    { rules: [{ level: "None", nonResourceURLs: ["/a"], namespaces: ["a"] }] },
    "field rules[0].nonResourceURLs: invalid value",
  ],
  ["a relative path", { rules: [{ level: "None", nonResourceURLs: ["a"] }] }, 'want a path that begins with "/"'],
  [
    "a star in a path",
    { rules: [{ level: "None", nonResourceURLs: ["/a*b"] }] },
    'want "*" only as the last character',
  ],
  ["a group with a version", { rules: [{ level: "None", resources: [{ group: "apps/v1" }] }] }, "without a version"],
  [
    "names without resources",
    { rules: [{ level: "None", resources: [{ resourceNames: ["a"] }] }] },
    "field rules[0].resources[0].resourceNames: invalid value",
  ],
])("%s is an error with its place", (_name, fields, want) => {
  expect(errorsOf(fields).join("\n")).toContain(want);
});

test("all errors are reported at once", () => {
  expect(errorsOf({ rules: [{ level: "All" }, {}], omitStages: ["Begin"] })).toHaveLength(3);
});
