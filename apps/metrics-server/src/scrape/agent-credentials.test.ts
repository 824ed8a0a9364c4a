import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { agentCredentials } from "./agent-credentials.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-agent-credentials-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const file = (name: string): string => {
  writeFileSync(join(dir, name), name, { mode: 0o600 });
  return join(dir, name);
};
const none = {
  "orchlet-certificate-authority": "",
  "orchlet-client-certificate": "",
  "orchlet-client-key": "",
  "orchlet-insecure-tls": false,
};
const server = "https://api";
const text = (value: string | Buffer | undefined) => value?.toString();

test("without flags, agents get the credentials of the API server's client, but not the name of the server", () => {
  const tls = { ca: "ca", cert: "cert", key: "key", serverName: "api" };
  const credentials = agentCredentials(none, { server, tls, token: "t" });
  expect(credentials.tls()).toEqual({ ca: "ca", cert: "cert", key: "key" });
  // The same object, so that connections stay.
  expect(credentials.tls()).toBe(credentials.tls());
});

test("a token is sent only where there is no certificate", () => {
  const tls = { ca: "ca" };
  expect(agentCredentials(none, { server, tls, token: "t" }).token()).toBe("t");
  expect(agentCredentials(none, { server, tls, tokenFile: file("token") }).token()).toBe("token");
  expect(agentCredentials(none, { server, tls }).token()).toBeUndefined();
  expect(agentCredentials(none, { server, tls: { cert: "c", key: "k" }, token: "t" }).token()).toBeUndefined();
});

test("flags replace what they name", () => {
  const flags = {
    ...none,
    "orchlet-certificate-authority": file("ca"),
    "orchlet-client-certificate": file("cert"),
    "orchlet-client-key": file("key"),
  };
  const { tls, token } = agentCredentials(flags, { server, tls: { ca: "other", insecure: true }, token: "t" });
  const { ca, cert, key, insecure } = tls();
  expect([text(ca), text(cert), text(key), insecure]).toEqual(["ca", "cert", "key", false]);
  expect(token()).toBeUndefined();
  const open = agentCredentials({ ...none, "orchlet-insecure-tls": true }, { server, tls: { ca: "ca" } });
  expect(open.tls()).toEqual({ ca: "ca", insecure: true });
});

test("renewed credentials of the client are taken over", () => {
  let cert = "one";
  const known = new Map<string, { readonly cert: string; readonly key: string }>();
  const current = () => {
    const made = known.get(cert) ?? { cert, key: "key" };
    known.set(cert, made);
    return made;
  };
  const { tls } = agentCredentials(none, { server, tls: current });
  const first = tls();
  cert = "two";
  expect(text(tls().cert)).toBe("two");
  expect(tls()).not.toBe(first);
});
