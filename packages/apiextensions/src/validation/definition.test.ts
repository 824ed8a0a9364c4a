import { apiextensions } from "@orchernetes/api";
import { canonicalize, type Draft } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { type DefinitionOptions, definition, versionOf } from "../../test/harness.ts";
import { definitionStrategy } from "../resource/strategy.ts";
import { validateDefinition, validateDefinitionUpdate } from "./definition.ts";

const context = { now: new Date(0), featureEnabled: () => true, allowPrivileged: false };

function made(options: DefinitionOptions, change: (body: ReturnType<typeof definition>) => void = () => {}) {
  const body = definition(options);
  change(body);
  const draft = canonicalize(
    apiextensions.CustomResourceDefinition,
    body,
  ) as Draft<apiextensions.CustomResourceDefinition>;
  definitionStrategy.prepareForCreate?.(draft, context);
  return draft as apiextensions.CustomResourceDefinition;
}

const errors = (given: apiextensions.CustomResourceDefinition): readonly string[] =>
  validateDefinition(given).map(({ field, message }) => `${field}: ${message}`);

const root = "spec.versions[0].schema.openAPIV3Schema";
const withSpec = (spec: object): DefinitionOptions => ({ schema: { type: "object", properties: { spec } } });
const at = `${root}.properties[spec]`;
const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";

const tooLargePatterns = `${root}: Invalid value: "": must not have larger patterns, with repetitions written out, than 50000 steps in one pattern and 100000 in all of them`;

const cases: readonly (readonly [string, DefinitionOptions, readonly string[]])[] = [
  ["nothing", {}, []],
  [
    "a group of one label",
    { group: "example" },
    ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
  ],
  ["patterns", withSpec({ type: "string", pattern: "^[a-z]{0,1000}$" }), []],
  [
    "a pattern that writes out to very many steps",
    withSpec({ type: "string", pattern: "[a-z]{0,1000}".repeat(200) }),
    [tooLargePatterns],
  ],
  [
    "many patterns that are too large together",
    withSpec({
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 101 }, (_, i) => [`p${i}`, { type: "string", pattern: "x{1000}" }]),
      ),
    }),
    [tooLargePatterns],
  ],
  [
    "a scope",
    { scope: "Galaxy" },
    ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'],
  ],
  [
    "a kind that is its list's",
    { names: { listKind: "Widget" } },
    ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same'],
  ],
  ["no schema", { version: { schema: undefined } }, [`${root}: Required value: schemas are required`]],
  [
    "two storage versions",
    {
      versions: [
        versionOf("v1", { type: "object" }, { storage: true }),
        versionOf("v2", { type: "object" }, { storage: true }),
      ],
    },
    [
      'spec.versions: Invalid value: []string{"v1", "v2"}: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: []string{"v1"}: must have the storage version v2',
    ],
  ],
  [
    "versions of one name",
    { versions: [versionOf("v1", { type: "object" }, { storage: true }), versionOf("v1", { type: "object" })] },
    ['spec.versions: Invalid value: []string{"v1", "v1"}: must contain unique version names'],
  ],
  [
    "preserveUnknownFields",
    { spec: { preserveUnknownFields: true } },
    [
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-orchernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ],
  ],
  [
    "a root of another type",
    { schema: { type: "array", items: { type: "string" } } },
    [`${root}.type: Invalid value: "array": must be object at the root`],
  ],
  [
    "a root without type",
    { schema: { properties: { a: { type: "string" } } } },
    [`${root}.type: Required value: must not be empty at the root`],
  ],
  [
    "a field without type",
    withSpec({ description: "x" }),
    [`${at}.type: Required value: must not be empty for specified object fields`],
  ],
  ["an array without items", withSpec({ type: "array" }), [`${at}.items: Required value: must be specified`]],
  [
    "an unknown type",
    withSpec({ type: "text" }),
    [
      `${at}.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
  ],
  [
    "uniqueItems",
    withSpec({ type: "array", uniqueItems: true, items: { type: "string" } }),
    [`${at}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`],
  ],
  ["$ref", withSpec({ type: "string", $ref: "#/x" }), [`${at}.$ref: Forbidden: $ref is not supported`]],
  [
    "properties and others",
    withSpec({ type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } }),
    [`${at}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
  ],
  [
    "a type in a combination",
    withSpec({ type: "string", anyOf: [{ type: "string" }] }),
    [`${at}.anyOf[0].type: Forbidden: must be empty to be structural`],
  ],
  [
    "ints or strings",
    withSpec({ "x-orchernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }),
    [],
  ],
  [
    "a rule on what is not there",
    withSpec({ type: "object", anyOf: [{ properties: { a: { minimum: 1 } } }] }),
    [`${at}.properties[a]: Required value: because it is defined in ${at}.anyOf[0].properties[a]`],
  ],
  [
    "a default of another type",
    withSpec({ type: "integer", default: "x" }),
    [`${at}.default: Invalid value: "string": in body must be of type integer: "string"`],
  ],
  [
    "a default with unknown fields",
    withSpec({ type: "object", properties: { a: { type: "string" } }, default: { b: 1 } }),
    [`${at}.default: Invalid value: {"b":1}: must not have unknown fields`],
  ],
  [
    "a default that others complete",
    withSpec({ type: "object", properties: { a: { type: "string", default: "x" } }, required: ["a"], default: {} }),
    [],
  ],
  [
    "a list map without keys",
    withSpec({ type: "array", "x-orchernetes-list-type": "map", items: { type: "object" } }),
    [`${at}.x-orchernetes-list-map-keys: Required value: must not be empty if x-orchernetes-list-type is map`],
  ],
  [
    "a list map whose key may be absent",
    withSpec({
      type: "array",
      "x-orchernetes-list-type": "map",
      "x-orchernetes-list-map-keys": ["k"],
      items: { type: "object", properties: { k: { type: "string" } } },
    }),
    [
      `${at}.items.properties[k].default: Required value: this property is in x-orchernetes-list-map-keys, so it must have a default or be a required property`,
    ],
  ],
  [
    "an embedded object without members",
    withSpec({ type: "object", "x-orchernetes-embedded-resource": true }),
    [
      `${at}.properties: Required value: must not be empty if x-orchernetes-embedded-resource is true without x-orchernetes-preserve-unknown-fields`,
    ],
  ],
  [
    "metadata",
    {
      schema: {
        type: "object",
        properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
      },
    },
    [
      `${root}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
    ],
  ],
  [
    "metadata's name",
    {
      schema: {
        type: "object",
        properties: { metadata: { type: "object", properties: { name: { type: "string", maxLength: 5 } } } },
      },
    },
    [],
  ],
  [
    "a column of no type",
    { version: { additionalPrinterColumns: [{ name: "A", type: "text", jsonPath: ".a" }] } },
    [
      'spec.versions[0].additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
    ],
  ],
  [
    "a column's path",
    { version: { additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: "a" }] } },
    [
      'spec.versions[0].additionalPrinterColumns[0].jsonPath: Invalid value: "a": must be a simple json path starting with .',
    ],
  ],
  [
    "a scale elsewhere",
    { version: { subresources: { scale: { specReplicasPath: ".foo.n", statusReplicasPath: ".status.n" } } } },
    [
      'spec.versions[0].subresources.scale.specReplicasPath: Invalid value: ".foo.n": should be a json path under .spec',
    ],
  ],
  [
    "a warning of what is not deprecated",
    { version: { deprecationWarning: "x" } },
    ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
  ],
  [
    "a webhook without a client",
    { spec: { conversion: { strategy: "Webhook" } } },
    [
      "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
      "spec.conversion.conversionReviewVersions: Required value",
    ],
  ],
  [
    "a webhook where none converts",
    {
      spec: {
        conversion: {
          strategy: "None",
          webhook: { clientConfig: { url: "https://x" }, conversionReviewVersions: ["v1"] },
        },
      },
    },
    [
      "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
      "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
    ],
  ],
  [
    "a webhook that speaks nothing known, at no valid place",
    {
      spec: {
        conversion: {
          strategy: "Webhook",
          webhook: {
            clientConfig: { service: { namespace: "", name: "", port: 0, path: "a//B" } },
            conversionReviewVersions: ["v2", "v2", "V"],
          },
        },
      },
    },
    [
      "spec.conversion.webhookClientConfig.service.name: Required value: service name is required",
      "spec.conversion.webhookClientConfig.service.namespace: Required value: service namespace is required",
      "spec.conversion.webhookClientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
      "spec.conversion.webhookClientConfig.service.path: Invalid value: \"a//B\": must start with a '/'",
      'spec.conversion.webhookClientConfig.service.path: Invalid value: "a//B": segment[0] may not be empty',
      'spec.conversion.webhookClientConfig.service.path: Invalid value: "a//B": segment[1] may not be empty',
      expect.stringContaining('service.path: Invalid value: "a//B": segment[2]: a lowercase RFC 1123 subdomain'),
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v2": duplicate version',
      expect.stringContaining('spec.conversion.conversionReviewVersions[2]: Invalid value: "V": a DNS-1035 label'),
      'spec.conversion.conversionReviewVersions: Invalid value: []string{"v2", "v2", "V"}: must include at least one of v1, v1beta1',
    ],
  ],
  [
    "a protected group",
    { group: "a.o8s.io" },
    [
      'metadata.annotations[api-approved.orchernetes.io]: Required value: protected groups must have approval annotation "api-approved.orchernetes.io"',
    ],
  ],
  [
    "a protected group with approval",
    { group: "a.o8s.io", annotations: { "api-approved.orchernetes.io": "unapproved, experimental" } },
    [],
  ],
  [
    "a root of rules beside a status",
    { schema: { type: "object", allOf: [{ required: ["a"] }] }, version: { subresources: { status: {} } } },
    [expect.stringContaining(`${root}: Invalid value: "allOf": only description,type,`)],
  ],
  [
    "an empty rule",
    withSpec({ type: "string", "x-orchernetes-validations": [{ rule: " " }] }),
    [`${at}.x-orchernetes-validations[0].rule: Required value: rule is not specified`],
  ],
];

test.each(cases)("%s", (_, options, want) => {
  expect(errors(made(options))).toEqual(want);
});

test("a definition with an invalid pattern is rejected", () => {
  expect(errors(made(withSpec({ type: "string", pattern: "(" })))).toEqual([
    expect.stringContaining(`${at}.pattern: Invalid value: "(": must be a valid regular expression, but isn't: `),
  ]);
});

test("names that are not labels are rejected", () => {
  const wrong = made({ plural: "Widgets" });
  expect(errors(wrong)).toEqual([expect.stringContaining(`spec.names.plural: Invalid value: "Widgets": ${label}`)]);
});

test.each([
  ["scope", (body: ReturnType<typeof definition>) => Object.assign(body.spec, { scope: "Cluster" }), ["spec.scope"]],
  [
    "kind",
    (body: ReturnType<typeof definition>) => Object.assign(body.spec.names, { kind: "Other" }),
    ["spec.names.kind"],
  ],
  ["short names", (body: ReturnType<typeof definition>) => Object.assign(body.spec.names, { shortNames: ["w"] }), []],
])("once established, %s may not change unless nothing rests on it", (_, change, want) => {
  const old = made({}, (body) => {
    body.status = { conditions: [{ type: "Established", status: "True" }], acceptedNames: { plural: "", kind: "" } };
  });
  const established = {
    ...old,
    status: { ...old.status, conditions: [{ type: "Established", status: "True" as const }] },
  };
  const changed = { ...made({}, change), status: established.status };
  expect(validateDefinitionUpdate(changed, established).map(({ field }) => field)).toEqual(want);
});
