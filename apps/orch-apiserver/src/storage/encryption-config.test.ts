import { expect, test, vi } from "vitest";
import { namesResource, parseEncryptionConfig } from "./encryption-config.ts";

const any = { kmsV2: true, reload: false };
const key32 = Buffer.alloc(32, 1).toString("base64");
const config = (resources: string): string =>
  `kind: EncryptionConfiguration\napiVersion: apiserver.config.o8s.io/v1\nresources:\n${resources}`;
const secrets = (providers: string): string => config(`- resources: [secrets]\n  providers:\n${providers}`);

test("reads every provider", () => {
  const text = secrets(
    [
      `  - aesgcm: {keys: [{name: a, secret: ${key32}}]}`,
      `  - aescbc: {keys: [{name: b, secret: ${key32}}]}`,
      `  - secretbox: {keys: [{name: c, secret: ${key32}}]}`,
      "  - kms: {apiVersion: v2, name: vault, endpoint: unix:///run/kms.sock, timeout: 500ms}",
      "  - kms: {name: 'old:vault', endpoint: unix:///run/kms.sock, cachesize: -1}",
      "  - identity: {}",
    ].join("\n"),
  );
  const kms = { type: "kms", name: "vault", endpoint: "unix:///run/kms.sock" };
  const secret = Buffer.alloc(32, 1);
  expect(parseEncryptionConfig(text, "f", any)).toEqual([
    {
      resources: ["secrets"],
      providers: [
        { type: "aesgcm", keys: [{ name: "a", secret }] },
        { type: "aescbc", keys: [{ name: "b", secret }] },
        { type: "secretbox", keys: [{ name: "c", secret }] },
        { ...kms, apiVersion: "v2", timeoutMs: 500, cacheSize: 1000 },
        { ...kms, apiVersion: "v1", name: "old:vault", timeoutMs: 3000, cacheSize: -1 },
        { type: "identity" },
      ],
    },
  ]);
});

test.each([
  ["not YAML", "a: [", "encryption configuration"],
  ["another kind", "kind: Config", "want kind EncryptionConfiguration of apiVersion apiserver.config.o8s.io/v1"],
  ["an unknown field", secrets("  - identity: {}\n  extra: 1"), "resources[0].extra: unknown field"],
  ["a short secret", secrets("  - aescbc: {keys: [{name: a, secret: c2hvcnQ=}]}"), "has 5 bytes; want 16, 24, 32"],
  [
    "secretbox with 16 bytes",
    secrets("  - secretbox: {keys: [{name: a, secret: AAAAAAAAAAAAAAAAAAAAAA==}]}"),
    "want 32 for secretbox",
  ],
  ["two providers in one", secrets("  - {identity: {}, aesgcm: {}}"), "want exactly one of identity"],
  ["KMS v3", secrets("  - kms: {apiVersion: v3, name: a, endpoint: 'unix:///x'}"), 'found "v3"; want v1 or v2'],
  [
    "a cache of KMS v2",
    secrets("  - kms: {apiVersion: v2, name: a, endpoint: 'unix:///x', cachesize: 1}"),
    "not supported in v2",
  ],
  [
    "a cache without size",
    secrets("  - kms: {name: a, endpoint: 'unix:///x', cachesize: 0}"),
    "found 0; want a positive number",
  ],
  [
    "a colon in a name of KMS v2",
    secrets("  - kms: {apiVersion: v2, name: 'a:b', endpoint: 'unix:///x'}"),
    'want a name without ":"',
  ],
  [
    "a key name with a colon",
    secrets(`  - aesgcm: {keys: [{name: 'a:b', secret: ${key32}}]}`),
    'want a name without ":"',
  ],
  [
    "a masked resource",
    config("- {resources: ['*.*'], providers: [{identity: {}}]}\n- {resources: [pods], providers: [{identity: {}}]}"),
    '"pods" is already covered by "*.*"',
  ],
])("refuses %s", (_, text, want) => {
  expect(() => parseEncryptionConfig(text, "f", any)).toThrow(want);
});

test("all errors are reported at once, each with its place", () => {
  const text = config(
    [
      "- resources: [secrets, pods, Bad_, 5]",
      "  providers:",
      `  - aesgcm: {keys: [{name: a, secret: ${key32}}, {name: a, secret: '*'}, 7], more: 1}`,
      "  - kms: {apiVersion: v3, name: '', endpoint: 'tcp://x', cachesize: many, timeout: -1s}",
      "  - kms: {apiVersion: v2, name: vault, endpoint: 'unix:///x', timeout: 1m30s}",
      "  - secretbox:",
      "  - unknown: {}",
      "- resources: [pods]",
      "  providers: [{kms: {apiVersion: v2, name: vault, endpoint: 'unix:///x'}}]",
      "- 5",
      "extra: 1",
    ].join("\n"),
  );
  const errorsOf = () => {
    try {
      parseEncryptionConfig(text, "f", any);
      return [];
    } catch (error) {
      return (error as { readonly errors: readonly string[] }).errors;
    }
  };
  const keys = "resources[0].providers[0].aesgcm.keys";
  const kms = "resources[0].providers[1].kms";
  expect([...errorsOf()].sort()).toEqual(
    [
      `${keys}[1].name: "a" is given twice`,
      `${keys}[1].secret: is not base64`,
      `${keys}[2]: want name and secret`,
      "resources[0].providers[0].aesgcm.more: unknown field; known are keys",
      `${kms}.apiVersion: found "v3"; want v1 or v2`,
      `${kms}.name: want a name`,
      `${kms}.endpoint: want unix:///path/of/socket`,
      `${kms}.cachesize: found "many"; want a positive number, or a negative one to disable the cache`,
      `${kms}.timeout: found "-1s"; want a duration such as 3s`,
      "resources[0].providers[3].secretbox: has no settings",
      "resources[0].providers[4]: want exactly one of identity, aescbc, aesgcm, secretbox, kms",
      'resources[0].resources[2]: found "Bad_"; want plural, plural.group, *.group, "*." or *.*',
      "resources[0].resources[3]: want text",
      'resources[1].resources[0]: "pods" is already covered by "pods"',
      'resources[1].providers[0].kms.name: "vault" is given twice',
      "resources[2]: want resources and providers",
      "extra: unknown field; known are kind, apiVersion, resources",
    ]
      .map((error) => `"f": ${error}`)
      .sort(),
  );
});

test("errors never contain a secret", () => {
  const text = secrets(`  - aesgcm: {keys: [{name: a, secret: ${Buffer.alloc(31, 7).toString("base64")}}]}`);
  expect(() => parseEncryptionConfig(text, "f", any)).not.toThrow(/BwcH/);
  expect(() => parseEncryptionConfig(text, "f", any)).toThrow("has 31 bytes");
  for (const broken of ["*BwcH", "!BwcH!x x", "|BwcH"]) {
    const parse = () => parseEncryptionConfig(`secret: ${broken}\n`, "f", any);
    expect(parse).toThrow(/want YAML or JSON/);
    expect(parse).not.toThrow(/BwcH/);
  }
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  expect(() => parseEncryptionConfig("kind: !BwcH x", "f", any)).toThrow(/want kind/);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

test.each([`secret:${key32}`, `secret, ${key32}`, `? ${key32}`])(
  "a key that is written as a field is not shown: %s",
  (key) => {
    const parse = () => parseEncryptionConfig(secrets(`  - aesgcm: {keys: [{name: a, ${key}}]}`), "f", any);
    expect(parse).toThrow("aesgcm.keys[0].(name not shown): unknown field; known are name, secret");
    expect(parse).not.toThrow(key32);
  },
);

test.each(["apiVersion", "timeout"])("a %s that contains itself is an error of the file", (field) => {
  const kms = { apiVersion: "v2", name: "a", endpoint: "unix:///x", [field]: undefined };
  const text = `${JSON.stringify(kms).slice(0, -1)}, ${field}: &a [*a]}`;
  expect(() => parseEncryptionConfig(secrets(`  - kms: ${text}`), "f", any)).toThrow(
    `resources[0].providers[0].kms.${field}: found (contains itself); want`,
  );
});

test.each([
  ["v1", "v1", false, false],
  ["v1", "v1", true, true],
  ["v1", "v2", false, true],
  ["v2", "v1", false, false],
  ["v2", "v2", false, true],
])(
  "services %s and %s of one name, in a file that is followed (%s), are refused: %s",
  (first, second, reload, refused) => {
    const entry = (resource: string, version: string) =>
      `- {resources: [${resource}], providers: [{kms: {apiVersion: ${version}, name: a, endpoint: 'unix:///x'}}]}`;
    const text = config([entry("secrets", first), entry("pods", second)].join("\n"));
    const parse = () => parseEncryptionConfig(text, "f", { kmsV2: true, reload });
    if (refused) expect(parse).toThrow('resources[1].providers[0].kms.name: "a" is given twice');
    else expect(parse()).toHaveLength(2);
  },
);

const pods = { group: "", plural: "pods" };
const deployments = { group: "apps", plural: "deployments" };
test.each([
  ["pods", pods, true],
  ["pods", { group: "x", plural: "pods" }, false],
  ["deployments.apps", deployments, true],
  ["deployments", deployments, false],
  ["*.", pods, true],
  ["*.", deployments, false],
  ["*.apps", deployments, true],
  ["*.*", deployments, true],
])("%s means %o: %s", (name, resource, want) => {
  expect(namesResource(name, resource)).toBe(want);
});

test.each([
  [
    "  - kms: {apiVersion: v2, name: vault, endpoint: unix:///run/kms.sock}",
    "resources[0].providers[0].kms: needs feature gate KMSv2",
  ],
  ["  - kms: {apiVersion: v1, name: vault, endpoint: unix:///run/kms.sock}", undefined],
  ["  - identity: {}", undefined],
])("without KMSv2: %s", (providers, error) => {
  const parse = () => parseEncryptionConfig(secrets(providers), "f", { kmsV2: false, reload: false });
  if (error === undefined) expect(parse()).toHaveLength(1);
  else expect(parse).toThrow(error);
});
