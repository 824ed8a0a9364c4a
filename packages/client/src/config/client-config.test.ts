import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClientConfigError, type ClientTls, inClusterConfig, loadClientConfig } from "../index.ts";

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), "orchconfig-"));
  for (const name of ["ca.crt", "me.crt", "me.key", "token"]) writeFileSync(path.join(dir, name), `${name} content`);
});
afterAll(() => rmSync(dir, { recursive: true }));

const write = (text: string): string => {
  const file = path.join(dir, "config");
  writeFileSync(file, text);
  return file;
};
const config = (cluster: string, user: string): string => `
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: cl, user: u, namespace: ns}}]
clusters: [{name: cl, cluster: {${cluster}}}]
users: [{name: u, user: {${user}}}]
`;
const server = "server: 'https://h:6443'";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const tls = (loaded: ReturnType<typeof loadClientConfig>): ClientTls =>
  typeof loaded.tls === "function" ? loaded.tls() : (loaded.tls ?? {});

describe("a valid file", () => {
  test("names certificate files by relative paths", () => {
    const loaded = loadClientConfig(
      write(config(`${server}, certificate-authority: ca.crt`, "client-certificate: me.crt, client-key: me.key")),
    );
    expect(loaded).toMatchObject({ server: "https://h:6443", namespace: "ns" });
    expect(Object.entries(tls(loaded)).map(([key, value]) => `${key} ${value}`)).toEqual([
      "ca ca.crt content",
      "cert me.crt content",
      "key me.key content",
    ]);
  });

  test("contains its certificates inline", () => {
    const user = `client-certificate-data: ${base64("C")}, client-key-data: ${base64("K")}`;
    const loaded = loadClientConfig(write(config(`${server}, certificate-authority-data: ${base64("A")}`, user)));
    expect(Object.values(tls(loaded)).map(String)).toEqual(["A", "C", "K"]);
  });

  test.each([
    ["token: t", { token: "t" }],
    ["username: u, password: p", { basicAuth: { username: "u", password: "p" } }],
    ["token: t, as: other, as-groups: [g]", { token: "t", impersonate: { user: "other", groups: ["g"] } }],
  ])("user {%s}", (user, want) => {
    expect(loadClientConfig(write(config(server, user)))).toMatchObject(want);
  });

  test("the server's address can be overridden, or given without a file", () => {
    expect(loadClientConfig(write(config(server, "")), { masterOverride: "https://o:1" }).server).toBe("https://o:1");
    expect(loadClientConfig("", { masterOverride: "http://o:1" })).toEqual({ server: "http://o:1" });
  });
});

describe("errors are reported all at once", () => {
  test.each([
    ["no current-context", "clusters: []", ["current-context: missing"]],
    ["unknown context", "current-context: x", ['no entry of contexts is called "x"; there are none']],
    ["no YAML", "a: [", ["is not valid YAML"]],
    ["no object", "7", ["expected a client configuration"]],
    [
      "many",
      config("server: nonsense, certificate-authority: gone.crt", "client-certificate: me.crt, exec: {command: x}"),
      [
        'clusters["cl"].cluster.server: expected a URL such as https://127.0.0.1:6443, found "nonsense"',
        "certificate-authority: cannot read",
        'users["u"].user.exec: credential plugins are not supported',
        "a client certificate needs its key beside it",
      ],
    ],
    [
      "unknown names",
      "current-context: c\ncontexts: [{name: c, context: {cluster: a, user: b}}]",
      ['no entry of clusters is called "a"', 'no entry of users is called "b"'],
    ],
  ])("%s", (_, text, wants) => {
    const file = write(text);
    let error: unknown;
    try {
      loadClientConfig(file);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ClientConfigError);
    const { errors } = error as ClientConfigError;
    expect(errors).toHaveLength(wants.length);
    for (const [i, want] of wants.entries()) {
      expect(errors[i]).toContain(want);
      expect(errors[i]).toContain(file);
    }
  });

  test("a missing file", () => {
    expect(() => loadClientConfig(path.join(dir, "none"))).toThrow(
      /none": cannot be read: no such file.*; expected a readable client configuration/,
    );
  });
});

test.each([
  ["a token that is no text", config(server, "token: 46513"), 'users["u"].user.token: expected text, found a number'],
  [
    "a password in a list",
    config(server, "username: u, password: [pw46513]"),
    'users["u"].user.password: expected text, found a list',
  ],
  ["a user that is a text", "users: [{name: u, user: token46513}]", "expected an object, found a string"],
  ["users in a mapping", "users: {u: {token: token46513}}", "users: expected a list, found an object"],
  ["a token that begins with *", config(server, "token: *token46513"), "refers to no anchor"],
  ["a token that begins with !", config(server, "token: !token46513!x x"), "unknown tag"],
  ["a block scalar that is none", "token: |token46513\n  x", "a token is not allowed here at line"],
  ["a token on a wrong line", "token:\n - x\ntoken46513", "is not valid YAML"],
])("errors do not quote what may be a secret: %s", (_, text, want) => {
  const document = text.startsWith("users")
    ? `current-context: c\ncontexts: [{name: c, context: {cluster: cl, user: u}}]\nclusters: [{name: cl, cluster: {${server}}}]\n${text}`
    : text;
  const load = () => loadClientConfig(write(document));
  expect(load).toThrow(ClientConfigError);
  expect(load).toThrow(want);
  expect(load).not.toThrow(/46513/);
});

describe("in a cluster", () => {
  test("uses the service account's mount", () => {
    const env = { ORCHERNETES_SERVICE_HOST: "fd00::1", ORCHERNETES_SERVICE_PORT: "443" };
    const loaded = inClusterConfig(env, dir);
    expect(loaded).toMatchObject({ server: "https://[fd00::1]:443", tokenFile: path.join(dir, "token") });
    expect(String(tls(loaded).ca)).toBe("ca.crt content");
  });

  test("rejects an environment that is not a pod", () => {
    expect(() => inClusterConfig({}, dir)).toThrow(/ORCHERNETES_SERVICE_HOST/);
  });
});
