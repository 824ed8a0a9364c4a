import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSelfSignedPair } from "@orchernetes/tls";
import { afterAll, expect, test } from "vitest";
import { ConfigurationError } from "./configuration-error.ts";
import { NamedFiles } from "./named-files.ts";
import { readServingFiles } from "./serving/serving-files.ts";

const directory = mkdtempSync(join(tmpdir(), "named-files-"));
afterAll(() => rmSync(directory, { recursive: true }));
const write = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};
const pair = await createSelfSignedPair({ hosts: ["a"] });
const other = await createSelfSignedPair({ hosts: ["b"] });
const crt = write("a.crt", pair.certPem);
const key = write("a.key", pair.keyPem);
const otherKey = write("b.key", other.keyPem);
const empty = write("empty.pem", "nothing");
const broken = write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
const list = write("list.yaml", "a: [");
const gone = join(directory, "gone");
const below = join(crt, "below");
const noFile = (want: string) =>
  `--f: "${gone}" cannot be read: ENOENT: no such file or directory, open '${gone}'; want a readable ${want}`;
const file = (path: string, from = "--f") => ({ from, path });

test.each<[string, (files: NamedFiles) => Promise<unknown>, readonly string[]]>([
  ["nothing is named", (files) => files.pair(file(""), file("")), []],
  ["a good pair", (files) => files.pair(file(crt), file(key)), []],
  ["an absent text", (files) => files.text(file(gone), (text) => text), [noFile("file")]],
  [
    "a text that will not do",
    (files) =>
      files.text(file(crt), () => {
        throw new ConfigurationError(["line 1 is odd", "line 2 is odd"]);
      }),
    ["--f: line 1 is odd", "--f: line 2 is odd"],
  ],
  ["an absent bundle", (files) => files.bundle(file(gone)), [noFile("PEM file")]],
  [
    "a bundle without certificates",
    (files) => files.bundle(file(empty)),
    [`--f: "${empty}": no certificate found; want PEM with at least one "-----BEGIN CERTIFICATE-----" block`],
  ],
  ["a directory for a bundle", (files) => files.bundle(file(directory)), [expect.stringMatching(/EISDIR.*; want/)]],
  [
    "a broken certificate and an absent key",
    (files) => files.pair(file(broken, "--c"), file(gone)),
    [expect.stringMatching(/^--c: ".*broken.pem": certificate 1 cannot be read: .*; want/), noFile("PEM file")],
  ],
  [
    "half a pair",
    (files) => files.pair(file(crt, "--c"), file("")),
    [`--f: not given, but --c is "${crt}"; want both or neither`],
  ],
  [
    "a key of another certificate",
    (files) => files.pair(file(crt, "--c"), file(otherKey)),
    [
      `--f: "${otherKey}": the private key does not belong to the certificate in "${crt}"; want the key for which this certificate was issued`,
    ],
  ],
  ["further pairs", (files) => files.sniPairs("--f", [`${crt},${key}:a`, `${crt},${gone}`]), [noFile("PEM file")]],
  [
    "a broken document",
    (files) => files.document(file(list)),
    [expect.stringMatching(/^--f: ".*list.yaml": Flow sequence/)],
  ],
  [
    "a document without a mapping",
    (files) => files.document(file(empty)),
    [`--f: "${empty}" holds no mapping; want one with apiVersion and kind`],
  ],
  ["a file for a directory", (files) => files.directory(file(crt)), [`--f: "${crt}" is no directory; want one`]],
  ["a path for a socket", (files) => files.socket(file(gone)), []],
  [
    "a file where a socket is to be",
    (files) => files.socket(file(crt)),
    [
      `--f: "${crt}" cannot be used: it exists and is no socket; want a free path in a directory that this process may write`,
    ],
  ],
  [
    "a socket in no directory",
    (files) => files.socket(file(join(gone, "socket"))),
    [expect.stringMatching(/^--f: ".*" cannot be used: ENOENT.*; want a free path/)],
  ],
  ["a directory that can be made", (files) => files.writableDirectory(file(join(gone, "deep"))), []],
  [
    "a directory that cannot be made",
    (files) => files.writableDirectory(file(below)),
    [`--f: "${below}" cannot be used: "${crt}" is no directory; want a directory that this process may make or write`],
  ],
  [
    "a client's certificate and key that do not belong together",
    (files) =>
      files.client(file("c.conf"), () => ({
        tls: () => ({ ca: "x", cert: pair.certPem, key: Buffer.from(other.keyPem) }),
      })),
    [
      expect.stringMatching(/^--f: "c.conf", certificate-authority: no certificate found; want/),
      expect.stringMatching(
        /^--f: "c.conf", client-key: the private key does not belong to .*client-certificate; want/,
      ),
    ],
  ],
  [
    "a client configuration that will not do",
    (files) =>
      files.client<{ readonly tls?: () => object }>(file(""), () => {
        throw new ConfigurationError(["not in a cluster"]);
      }),
    ["--f: not in a cluster"],
  ],
])("%s", async (_, read, errors) => {
  const files = new NamedFiles();
  await read(files);
  expect(files.errors).toEqual(errors);
});

test("every file of the secure port is read", async () => {
  const files = new NamedFiles(["before"]);
  const flags = {
    "tls-cert-file": crt,
    "tls-private-key-file": gone,
    "tls-sni-cert-key": [`${gone},${key}`],
    "cert-dir": "",
    "secure-port": 1,
    "client-ca-file": crt,
    "requestheader-client-ca-file": empty,
  };
  const read = await readServingFiles(files, flags, "test");
  expect(read.clientCa?.pem).toBe(pair.certPem);
  expect(files.errors).toEqual([
    "before",
    expect.stringContaining("--tls-private-key-file: "),
    expect.stringContaining("--tls-sni-cert-key: "),
    expect.stringContaining("--requestheader-client-ca-file: "),
  ]);
});

test.each([
  ["where a pair is", { "cert-dir": directory }, "a", []],
  ["that can be made", { "cert-dir": gone }, "a", []],
  ["below a file", { "cert-dir": below }, "a", [expect.stringMatching(/^--cert-dir: .*is no directory; want/)]],
  ["below a file without a port", { "cert-dir": below, "secure-port": 0 }, "a", []],
])("a directory for a self-signed pair: %s", async (_, flags, name, errors) => {
  const files = new NamedFiles();
  const none = {
    "tls-cert-file": "",
    "tls-private-key-file": "",
    "tls-sni-cert-key": [],
    "secure-port": 1,
    "client-ca-file": "",
    "requestheader-client-ca-file": "",
  };
  await readServingFiles(files, { ...none, ...flags }, name);
  expect(files.errors).toEqual(errors);
});
