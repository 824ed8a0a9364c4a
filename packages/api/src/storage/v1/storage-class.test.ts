import { expect, test } from "vitest";
import { create, defaulted, merged, row, update } from "../../../test/support.ts";
import { isDefaultStorageClass, storageClasses } from "./storage-class.ts";

type Row = readonly [name: string, input: object, want: readonly (string | RegExp)[]];
const matching = (want: Row[2]) => want.map((text) => (typeof text === "string" ? text : expect.stringMatching(text)));

const base = { metadata: { name: "s" }, provisioner: "example.com/p" };
const parameters = (length: number) => Object.fromEntries(Array.from({ length }, (_, i) => [`k${i}`, ""]));
const zones = (...values: readonly string[]) => ({ matchLabelExpressions: [{ key: "zone", values }] });
const inTerm = "allowedTopologies[0].matchLabelExpressions";

test.each<Row>([
  ["only a provisioner", {}, []],
  ["a provisioner in upper case", { provisioner: "Example.com/P" }, []],
  ["no provisioner", { provisioner: "" }, ["provisioner: Required value"]],
  [
    "a provisioner with two slashes",
    { provisioner: "a/b/c" },
    [/^provisioner: Invalid value: "a\/b\/c": a qualified name must consist of/],
  ],
  ["512 parameters", { parameters: parameters(512) }, []],
  ["513 parameters", { parameters: parameters(513) }, ["parameters: Too long: must have at most 512 bytes"]],
  ["256 KiB of parameters", { parameters: { k: "x".repeat(256 * 1024 - 1) } }, []],
  [
    "a byte more",
    { parameters: { k: "x".repeat(256 * 1024) } },
    ["parameters: Too long: must have at most 262144 bytes"],
  ],
  [
    "parameters whose bytes are too many, not their characters",
    { parameters: { k: "\u00e9".repeat(128 * 1024) } },
    ["parameters: Too long: must have at most 262144 bytes"],
  ],
  [
    "a parameter without a name",
    { parameters: { "": "a" } },
    ['parameters: Invalid value: "": field can not be empty.'],
  ],
  ["volumes that stay", { reclaimPolicy: "Retain" }, []],
  [
    "recycled volumes",
    { reclaimPolicy: "Recycle" },
    ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
  ],
  ["late binding", { volumeBindingMode: "WaitForFirstConsumer" }, []],
  ["zones", { allowedTopologies: [zones("a", "b"), zones("a")] }, []],
  ["no zones", { allowedTopologies: [zones()] }, [`${inTerm}[0].values: Required value`]],
  ["a zone twice", { allowedTopologies: [zones("a", "b", "a")] }, [`${inTerm}[0].values[2]: Duplicate value: "a"`]],
  [
    "a key twice",
    { allowedTopologies: [{ matchLabelExpressions: ["a", "b"].map((value) => ({ key: "z", values: [value] })) }] },
    [`${inTerm}[1].key: Duplicate value: "z"`],
  ],
  [
    "the same zones in another order",
    { allowedTopologies: [zones("a", "b"), zones("b", "a")] },
    ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'],
  ],
  [
    "an odd key",
    { allowedTopologies: [{ matchLabelExpressions: [{ key: "-", values: ["a"] }] }] },
    [/^allowedTopologies\[0\]\.matchLabelExpressions\[0\]\.key: Invalid value: "-": name part must consist of/],
  ],
])("class with %s", (_, more, want) => {
  expect(create(storageClasses, { ...base, ...more }).errors).toEqual(matching(want));
});

test.each<Row>([
  ["growth", { allowVolumeExpansion: true }, []],
  ["mount options", { mountOptions: ["ro"] }, []],
  ["the same parameters", { parameters: { a: "b" } }, []],
  ["a parameter", { parameters: { a: "c" } }, ["parameters: Forbidden: updates to parameters are forbidden."]],
  [
    "all that stays",
    { parameters: null, provisioner: "q", reclaimPolicy: "Retain", volumeBindingMode: "WaitForFirstConsumer" },
    [
      "parameters: Forbidden: updates to parameters are forbidden.",
      "provisioner: Forbidden: updates to provisioner are forbidden.",
      "reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.",
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ],
  ],
])("update of %s", (_, patch, want) => {
  const { object: old } = create(storageClasses, { ...base, parameters: { a: "b" } });
  expect(update(storageClasses, old, merged(old, patch)).errors).toEqual(want);
});

test.each([
  ["storageclass.orchernetes.io/is-default-class", "true", true],
  ["storageclass.beta.orchernetes.io/is-default-class", "true", true],
  ["storageclass.orchernetes.io/is-default-class", "True", false],
  ["example.com/is-default-class", "true", false],
])("annotation %s: %s", (key, text, want) => {
  const input = { ...base, metadata: { name: "s", annotations: { [key]: text } } };
  expect(isDefaultStorageClass(defaulted(storageClasses, input))).toBe(want);
  expect(row(storageClasses, input).slice(0, 5)).toEqual([
    want ? "s (default)" : "s",
    "example.com/p",
    "Delete",
    "Immediate",
    false,
  ]);
});
