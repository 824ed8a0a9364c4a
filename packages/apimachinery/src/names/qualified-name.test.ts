import { describe, expect, test } from "vitest";
import { validateAnnotations, validateLabels } from "./labels.ts";
import {
  isDomainPrefixedPath,
  isFullyQualifiedDomainName,
  isFullyQualifiedName,
  isQualifiedName,
} from "./qualified-name.ts";

const texts = (errors: readonly { readonly field: string; readonly message: string }[]) =>
  errors.map(({ field, message }) => `${field}: ${message}`);
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

test("both parts of a qualified name are judged, and the limits count bytes", () => {
  expect(isQualifiedName("B/-")).toHaveLength(2);
  expect(isQualifiedName(`${"a".repeat(253)}/${"b".repeat(63)}`)).toEqual([]);
  expect(isQualifiedName(`${"a".repeat(254)}/b`)).toEqual(["prefix part must be no more than 253 characters"]);
  // 32 letters of two bytes each are 64 bytes.
  expect(isQualifiedName("é".repeat(32))[0]).toBe("name part must be no more than 63 characters");
  expect(isQualifiedName("é".repeat(31))).toHaveLength(1);
});

describe("a fully qualified domain name", () => {
  test.each(["acme.io", "acme.io.", "a.b.c", `${"a".repeat(63)}.io`])("may be %s", (name) => {
    expect(isFullyQualifiedDomainName("spec.domain", name)).toEqual([]);
  });

  test.each([
    ["", "spec.domain: Required value"],
    ["acme", 'spec.domain: Invalid value: "acme": should be a domain with at least two segments separated by dots'],
    // One dot at the end is removed before the name is judged and shown.
    ["acme.", 'spec.domain: Invalid value: "acme": should be a domain with at least two segments separated by dots'],
    ["acme.io..", `spec.domain: Invalid value: "acme.io.": ${subdomain}`],
    ["Acme.io", `spec.domain: Invalid value: "Acme.io": ${subdomain}`],
    [`${"a".repeat(64)}.io`, `spec.domain: Invalid value: "${"a".repeat(64)}": must be no more than 63 characters`],
  ])("may not be %j", (name, error) => {
    expect(texts(isFullyQualifiedDomainName("spec.domain", name))).toEqual([error]);
  });
});

describe("a fully qualified name", () => {
  test.each(["hooks.acme.io", "a.b.c.d"])("may be %s", (name) => {
    expect(isFullyQualifiedName("name", name)).toEqual([]);
  });

  test.each([
    ["", "name: Required value"],
    ["acme.io", 'name: Invalid value: "acme.io": should be a domain with at least three segments separated by dots'],
    ["a.b.", `name: Invalid value: "a.b.": ${subdomain}`],
  ])("may not be %j", (name, error) => {
    expect(texts(isFullyQualifiedName("name", name))).toEqual([error]);
  });
});

describe("a path with a domain before it", () => {
  test.each(["acme.io/foo", "a/b/c", "acme.io/x-._~%!$&'()*+,;=:"])("may be %s", (path) => {
    expect(isDomainPrefixedPath("signerName", path)).toEqual([]);
  });

  test("must not be empty", () => {
    expect(texts(isDomainPrefixedPath("signerName", ""))).toEqual(["signerName: Required value"]);
  });

  test.each(["acme.io", "/foo", "acme.io/", "/"])("must have both parts, unlike %j", (path) => {
    expect(texts(isDomainPrefixedPath("signerName", path))).toEqual([
      `signerName: Invalid value: "${path}": must be a domain-prefixed path (such as "acme.io/foo")`,
    ]);
  });

  test("reports the errors of both parts", () => {
    expect(texts(isDomainPrefixedPath("signerName", "Acme/a b"))).toEqual([
      `signerName: Invalid value: "Acme": ${subdomain}`,
      "signerName: Invalid value: \"a b\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
    ]);
  });
});

describe("labels and annotations", () => {
  test("errors of labels are at the map, not at the key", () => {
    const errors = validateLabels({ "": "a", ok: "-", fine: "" }, "metadata.labels");
    expect(errors.map(({ field, type }) => [field, type])).toEqual([
      ["metadata.labels", "FieldValueInvalid"],
      ["metadata.labels", "FieldValueInvalid"],
      ["metadata.labels", "FieldValueInvalid"],
    ]);
    expect(errors[0]?.message).toBe('Invalid value: "": name part must be non-empty');
    expect(errors[2]?.message).toContain('Invalid value: "-": a valid label must be an empty string');
  });

  test("keys of annotations may have a prefix in any case, keys of labels may not", () => {
    expect(validateAnnotations({ "Acme.IO/Key": "any text\n" }, "a")).toEqual([]);
    expect(validateLabels({ "Acme.IO/Key": "" }, "a")).toHaveLength(1);
  });

  test("keys and values of all annotations together have 256 KiB, in bytes", () => {
    const limit = 256 * 1024;
    const half = "é".repeat(limit / 4 - 1);
    expect(validateAnnotations({ a: half, bcd: half }, "a")).toEqual([]);
    expect(texts(validateAnnotations({ a: half, bcde: half }, "metadata.annotations"))).toEqual([
      "metadata.annotations: Too long: must have at most 262144 bytes",
    ]);
  });

  test("an object without labels or annotations is valid", () => {
    expect([...validateLabels(undefined, "a"), ...validateAnnotations(undefined, "a")]).toEqual([]);
  });
});
