import { describe, expect, test } from "vitest";
import { encryptionConfigurationSchema, issueLines } from "../index.ts";

const base64 = (bytes: number) => Buffer.alloc(bytes, 0xa7).toString("base64");
const key = (bytes: number, name = "k") => ({ name, secret: base64(bytes) });
const file = (...resources: readonly object[]) => ({
  kind: "EncryptionConfiguration",
  apiVersion: "apiserver.config.o8s.io/v1",
  resources,
});
const entry = (providers: readonly object[], resources: readonly string[] = ["secrets"]) => ({ resources, providers });
const kms = (fields: object) => ({ kms: { name: "vault", endpoint: "unix:///run/kms.sock", ...fields } });

const check = (document: unknown, { kmsV2 = true, reload = false } = {}) =>
  encryptionConfigurationSchema({ kmsV2, reload }).safeParse(document);
const linesOf = (document: unknown, options?: { readonly kmsV2?: boolean; readonly reload?: boolean }) => {
  const { error } = check(document, options);
  return error === undefined ? [] : issueLines(error);
};

describe("providers", () => {
  test("are read in their order, with defaults", () => {
    const document = file(entry([{ secretbox: { keys: [key(32)] } }, kms({}), { identity: {} }]));
    expect(check(document).data?.resources[0]?.providers).toEqual([
      { type: "secretbox", keys: [{ name: "k", secret: Buffer.alloc(32, 0xa7) }] },
      {
        type: "kms",
        apiVersion: "v1",
        name: "vault",
        endpoint: "unix:///run/kms.sock",
        timeoutMs: 3000,
        cacheSize: 1000,
      },
      { type: "identity" },
    ]);
  });

  test.each([
    ["aescbc", [16, 24, 32], [0, 15, 17, 31, 33, 64]],
    ["aesgcm", [16, 24, 32], [0, 15, 17, 31, 33, 64]],
    ["secretbox", [32], [0, 16, 24, 31, 33]],
  ])("%s has keys of the lengths of its cipher only", (cipher, good, bad) => {
    const lines = (bytes: number) => linesOf(file(entry([{ [cipher]: { keys: [key(bytes)] } }])));
    for (const bytes of good) expect(lines(bytes), String(bytes)).toEqual([]);
    for (const bytes of bad)
      expect(lines(bytes)).toEqual([
        `resources[0].providers[0].${cipher}.keys[0].secret: has ${bytes} bytes; want ${good.join(", ")} for ${cipher}`,
      ]);
  });

  const provider = "resources[0].providers[0]";
  const oneOf = `${provider}: want exactly one of identity, aescbc, aesgcm, secretbox, kms`;
  test.each<[string, object, readonly string[]]>([
    ["no type", {}, [oneOf]],
    ["two types", { identity: {}, aescbc: { keys: [key(16)] } }, [oneOf]],
    [
      "a secret that is not base64",
      { aescbc: { keys: [{ name: "k", secret: `${base64(16).slice(0, -2)}!!` }] } },
      [`${provider}.aescbc.keys[0].secret: is not base64`],
    ],
    ["no keys", { aesgcm: { keys: [] } }, [`${provider}.aesgcm.keys: at least one key is needed`]],
    [
      "a name with a colon, which separates the parts of stored values",
      { aesgcm: { keys: [key(16, "a:b")] } },
      [`${provider}.aesgcm.keys[0].name: want a name without ":"`],
    ],
    [
      "a key's name twice",
      { aesgcm: { keys: [key(16, "a"), key(16, "b"), key(32, "a")] } },
      [`${provider}.aesgcm.keys[2].name: "a" is given twice`],
    ],
    ["a service over TCP", kms({ endpoint: "tcp://a:1" }), [`${provider}.kms.endpoint: want unix:///path/of/socket`]],
    ["no socket", kms({ endpoint: "unix://" }), [`${provider}.kms.endpoint: want unix:///path/of/socket`]],
    ["an unknown version", kms({ apiVersion: "v3" }), [`${provider}.kms.apiVersion: found "v3"; want v1 or v2`]],
    ["no time", kms({ timeout: "0s" }), [`${provider}.kms.timeout: found "0s"; want a duration such as 3s`]],
    ["a negative time", kms({ timeout: "-1s" }), [`${provider}.kms.timeout: found "-1s"; want a duration such as 3s`]],
    ["a time without a unit", kms({ timeout: 3 }), [`${provider}.kms.timeout: found 3; want a duration such as 3s`]],
    ...[0, 1.5, 2 ** 31, "10"].map((cachesize): [string, object, readonly string[]] => [
      `a cache of ${JSON.stringify(cachesize)}`,
      kms({ cachesize }),
      [
        `${provider}.kms.cachesize: found ${JSON.stringify(cachesize)}; want a positive number, or a negative one to disable the cache`,
      ],
    ]),
    [
      "a cache of version 2",
      kms({ apiVersion: "v2", cachesize: 10 }),
      [`${provider}.kms.cachesize: is not supported in v2`],
    ],
    [
      "a name of version 2 with a colon",
      kms({ apiVersion: "v2", name: "a:b" }),
      [`${provider}.kms.name: want a name without ":"`],
    ],
  ])("%s is an error", (_name, given, want) => {
    expect(linesOf(file(entry([given])))).toEqual(want);
  });

  test("version 2 needs its feature gate, version 1 does not", () => {
    const options = { kmsV2: false };
    expect(linesOf(file(entry([kms({ apiVersion: "v2" })])), options)).toEqual([
      "resources[0].providers[0].kms: needs feature gate KMSv2, which --feature-gates switches off",
    ]);
    expect(linesOf(file(entry([kms({ name: "a:b", cachesize: -1 })])), options)).toEqual([]);
  });

  test("no error shows a secret", () => {
    const secret = "c2VjcmV0LXNlY3JldC1zZWNyZXQ";
    const wrong = [
      { aescbc: { keys: [{ name: "k", secret }] } },
      { aescbc: { keys: [{ name: "k", [`secret:${secret}`]: "" }] } },
      { aescbc: { keys: [secret] } },
      { aescbc: { keys: secret } },
      { aescbc: secret },
      { [secret]: {} },
    ];
    for (const one of wrong) {
      const lines = linesOf(file(entry([one])));
      expect(lines).not.toEqual([]);
      expect(lines.join("\n")).not.toContain(secret);
    }
  });
});

describe("resources", () => {
  const identity = [{ identity: {} }];
  test.each([
    ["secrets", "configmaps"],
    ["secrets", "*."],
    ["deployments.apps", "*.apps", "*.*"],
    ["*.apps", "*.batch"],
    // The group's name only ends alike.
    ["*.io", "widgets.acme.io"],
    ["*.", "deployments.apps"],
  ])("names may follow more special ones: %s %s", (...names) => {
    expect(linesOf(file(entry(identity, names)))).toEqual([]);
  });

  test.each([
    ["secrets", "secrets", "secrets"],
    ["*.", "secrets", "*."],
    ["*.apps", "deployments.apps", "*.apps"],
    ["*.*", "secrets", "*.*"],
    ["*.*", "*.apps", "*.*"],
    ["*.*", "*.*", "*.*"],
  ])("after %s, %s would have no effect", (first, second) => {
    const message = `"${second}" is already covered by "${first}"`;
    expect(linesOf(file(entry(identity, [first, second])))).toEqual([`resources[0].resources[1]: ${message}`]);
    expect(linesOf(file(entry(identity, [first]), entry(identity, [second])))).toEqual([
      `resources[1].resources[0]: ${message}`,
    ]);
  });

  test.each(["", "*", "Secrets", "a/b", "*.*.*", "a b", ".apps", "secrets*"])("%j names no resources", (name) => {
    expect(linesOf(file(entry(identity, [name])))).toEqual([
      `resources[0].resources[0]: found ${JSON.stringify(name)}; want plural, plural.group, *.group, "*." or *.*`,
    ]);
  });
});

describe("names of services", () => {
  const two = (first: object, second: object) => file(entry([kms(first)]), entry([kms(second)], ["configmaps"]));
  const twice = ['resources[1].providers[0].kms.name: "vault" is given twice'];
  test.each<[string, object, boolean, readonly string[]]>([
    ["of version 1 may be shared", two({}, {}), false, []],
    ["of version 1 are unique if the file is reloaded", two({}, {}), true, twice],
    ["of version 2 are unique", two({ apiVersion: "v2" }, { apiVersion: "v2" }), false, twice],
    ["of version 2 differ from those of version 1", two({}, { apiVersion: "v2" }), false, twice],
    ["may differ", two({ apiVersion: "v2" }, { apiVersion: "v2", name: "other" }), true, []],
  ])("%s", (_name, document, reload, want) => {
    expect(linesOf(document, { reload })).toEqual(want);
  });
});

test.each<[unknown, string]>([
  [null, "the file holds no object; want an EncryptionConfiguration"],
  ["text", "the file holds no object; want an EncryptionConfiguration"],
  [[], "the file holds no object; want an EncryptionConfiguration"],
  [file(), "resources: at least one entry is needed"],
  [file(entry([])), "resources[0].providers: at least one provider is needed"],
  [file(entry([{ identity: {} }], [])), "resources[0].resources: at least one resource is needed"],
  [
    { ...file(entry([{ identity: {} }])), kind: "EncryptionConfig" },
    "want kind EncryptionConfiguration of apiVersion apiserver.config.o8s.io/v1",
  ],
  [
    { ...file(entry([{ identity: {} }])), apiVersion: "v1" },
    "want kind EncryptionConfiguration of apiVersion apiserver.config.o8s.io/v1",
  ],
])("the file %j is refused: %s", (document, want) => {
  expect(linesOf(document)).toEqual([want]);
});
