import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { type Clock, silentLogger, systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type LookUpOptions, lookUpAuthentication } from "./look-up-authentication.ts";

const pem = `-----BEGIN CERTIFICATE-----
MIIBdzCCAR2gAwIBAgIBATAKBggqhkjOPQQDAjANMQswCQYDVQQDDAJjYTAeFw0y
-----END CERTIFICATE-----
`;
const collection = "/api/v1/configmaps";
const object = (data: Readonly<Record<string, string>>) => ({
  metadata: { name: "extension-apiserver-authentication", namespace: "orch-system" },
  data,
});
const names = (text: string) => ({ "requestheader-allowed-names": JSON.stringify([text]) });

let server: FakeApiServer;
let end: AbortController;
let warnings: string[];
beforeEach(async () => {
  server = await startFakeApiServer();
  end = new AbortController();
  warnings = [];
});
afterEach(async () => {
  end.abort();
  await server.close();
});

/** Time passes at once while a look-up waits. */
function hurried(): Clock {
  let passedMs = 0;
  return {
    ...systemClock,
    monotonicMs: () => passedMs,
    async sleep(ms) {
      passedMs += ms;
    },
  } as Clock;
}

function lookUp(flags: Partial<LookUpOptions["flags"]> = {}, options: Partial<LookUpOptions> = {}) {
  return lookUpAuthentication({
    client: { server: server.url },
    flags: {
      "authentication-skip-lookup": false,
      "authentication-tolerate-lookup-failure": false,
      "client-ca-file": "",
      "requestheader-client-ca-file": "",
      ...flags,
    },
    userAgent: "test",
    logger: { ...silentLogger, warn: (message) => void warnings.push(message), error: () => undefined },
    signal: end.signal,
    ...options,
  });
}

test.each<[string, Partial<LookUpOptions["flags"]>, Partial<LookUpOptions>]>([
  ["it is switched off", { "authentication-skip-lookup": true }, {}],
  ["both authorities are given", { "client-ca-file": "a", "requestheader-client-ca-file": "b" }, {}],
  ["there is no client for it", {}, { client: undefined }],
])("nothing is looked up when %s", async (_, flags, options) => {
  expect(await lookUp(flags, options)).toBeUndefined();
  expect(server.requests).toEqual([]);
});

test("published settings are used, and followed; an invalid change has no effect", async () => {
  server.put(collection, object(names("one")));
  const cluster = await lookUp();
  const allowed = () => cluster?.frontProxies().allowedNames;
  expect(allowed()).toEqual(["one"]);
  server.put(collection, object(names("two")));
  await vi.waitFor(() => expect(allowed()).toEqual(["two"]), { timeout: 4000 });
  server.put(collection, object({ ...names("three"), "client-ca-file": pem }));
  server.put(collection, object({ "requestheader-allowed-names": "junk" }));
  server.put(collection, object(names("four")));
  await vi.waitFor(() => expect(allowed()).toEqual(["four"]), { timeout: 4000 });
});

test("the start waits for a server that has not published its settings yet", async () => {
  const looking = lookUp();
  await vi.waitFor(() => expect(server.requests.length).toBeGreaterThan(0));
  server.put(collection, object(names("late")));
  expect((await looking)?.frontProxies().allowedNames).toEqual(["late"]);
});

test("a failure ends the start unless it is tolerated; then nobody is trusted until the settings are available", async () => {
  const options = { clock: hurried() };
  await expect(lookUp({}, options)).rejects.toThrow(
    /^unable to look up authentication settings in ConfigMap orch-system\/extension-apiserver-authentication: .*not found/,
  );
  const cluster = await lookUp({ "authentication-tolerate-lookup-failure": true }, { clock: hurried() });
  expect(warnings).toEqual([expect.stringContaining("all requests may be treated as anonymous")]);
  expect(cluster?.clientCa.current().certificates).toEqual([]);
});

test("a daemon that stops while it waits does not fail", async () => {
  const looking = lookUp();
  await vi.waitFor(() => expect(server.requests.length).toBeGreaterThan(0));
  end.abort();
  expect(await looking).toBeUndefined();
});
