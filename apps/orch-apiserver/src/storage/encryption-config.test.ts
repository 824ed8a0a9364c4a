import { expect, test, vi } from "vitest";
import { namesResource, parseEncryptionConfig } from "./encryption-config.ts";

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
      "  - identity: {}",
    ].join("\n"),
  );
  const secret = Buffer.alloc(32, 1);
  expect(parseEncryptionConfig(text, "f", true)).toEqual([
    {
      resources: ["secrets"],
      providers: [
        { type: "aesgcm", keys: [{ name: "a", secret }] },
        { type: "aescbc", keys: [{ name: "b", secret }] },
        { type: "secretbox", keys: [{ name: "c", secret }] },
        { type: "kms", name: "vault", endpoint: "unix:///run/kms.sock", timeoutMs: 500 },
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
  ["KMS v1", secrets("  - kms: {name: a, endpoint: 'unix:///x'}"), 'found "v1"; want v2'],
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
  expect(() => parseEncryptionConfig(text, "f", true)).toThrow(want);
});

test("all errors are reported at once, each with its place", () => {
  const text = config(
    [
      "- resources: [secrets, pods, Bad_, 5]",
      "  providers:",
      `  - aesgcm: {keys: [{name: a, secret: ${key32}}, {name: a, secret: '*'}, 7], more: 1}`,
      "  - kms: {apiVersion: v1, name: 'a:b', endpoint: 'tcp://x', cachesize: 1, timeout: -1s}",
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
      parseEncryptionConfig(text, "f", true);
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
      `${kms}.apiVersion: found "v1"; want v2`,
      `${kms}.name: want a name without ":"`,
      `${kms}.endpoint: want unix:///path/of/socket`,
      `${kms}.cachesize: is not supported in v2`,
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
  expect(() => parseEncryptionConfig(text, "f", true)).not.toThrow(/BwcH/);
  expect(() => parseEncryptionConfig(text, "f", true)).toThrow("has 31 bytes");
  for (const broken of ["*BwcH", "!BwcH!x x", "|BwcH"]) {
    const parse = () => parseEncryptionConfig(`secret: ${broken}\n`, "f", true);
    expect(parse).toThrow(/want YAML or JSON/);
    expect(parse).not.toThrow(/BwcH/);
  }
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  expect(() => parseEncryptionConfig("kind: !BwcH x", "f", true)).toThrow(/want kind/);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

test.each([`secret:${key32}`, `secret, ${key32}`, `? ${key32}`])(
  "a key that is written as a field is not shown: %s",
  (key) => {
    const parse = () => parseEncryptionConfig(secrets(`  - aesgcm: {keys: [{name: a, ${key}}]}`), "f", true);
    expect(parse).toThrow("aesgcm.keys[0].(name not shown): unknown field; known are name, secret");
    expect(parse).not.toThrow(key32);
  },
);

test.each(["apiVersion", "timeout"])("a %s that contains itself is an error of the file", (field) => {
  const kms = { apiVersion: "v2", name: "a", endpoint: "unix:///x", [field]: undefined };
  const text = `${JSON.stringify(kms).slice(0, -1)}, ${field}: &a [*a]}`;
  expect(() => parseEncryptionConfig(secrets(`  - kms: ${text}`), "f", true)).toThrow(
    `resources[0].providers[0].kms.${field}: found (contains itself); want`,
  );
});

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
  ["  - identity: {}", undefined],
])("without KMSv2: %s", (providers, error) => {
  const parse = () => parseEncryptionConfig(secrets(providers), "f", false);
  if (error === undefined) expect(parse()).toHaveLength(1);
  else expect(parse).toThrow(error);
});
