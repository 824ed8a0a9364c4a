import { createClient } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { serviceAccountTokens } from "./service-account-tokens.ts";

const accounts = "/api/v1/serviceaccounts";
let server: FakeApiServer;
const done = { done: true };
let issued = 0;
let accepted = "";
beforeEach(async () => {
  issued = 0;
  server = await startFakeApiServer();
  server.hook = ({ method, path, headers }) => {
    if (method === "POST" && path.endsWith("/serviceaccounts/c/token")) {
      if (server.objects(accounts).length === 0)
        return { status: 404, body: { kind: "Status", reason: "NotFound", code: 404 } };
      issued += 1;
      accepted = `t${issued}`;
      return { status: 201, body: { status: { token: accepted } } };
    }
    if (path !== "/work") return undefined;
    return headers.authorization === `Bearer ${accepted}` ? { status: 200, body: done } : { status: 401 };
  };
});
afterEach(() => server.close());

test("clients continue with a new token after their account was deleted, and the account is created again", async () => {
  const manager = createClient({ server: server.url });
  const stop = new AbortController();
  const clock = new FakeClock();
  const options = { clock, logger: silentLogger, signal: stop.signal };
  const tokenSource = await serviceAccountTokens(manager, "c", options);
  const own = createClient({ server: server.url, tokenSource });
  const work = () => own.request({ method: "GET", path: "/work" });
  expect(await work()).toEqual(done);
  server.remove(accounts, "orch-system/c");
  accepted = "none";
  clock.advance(60_000);
  // All that were refused at once share one new token.
  expect(await Promise.all([work(), work(), work()])).toEqual([done, done, done]);
  expect([issued, server.objects(accounts).length]).toEqual([2, 1]);
  // A server that refuses every token is not asked for one at each request.
  accepted = "none";
  await expect(work()).rejects.toMatchObject({ code: 401 });
  await expect(work()).rejects.toMatchObject({ code: 401 });
  expect(issued).toBe(2);
  stop.abort();
  own.close();
  manager.close();
});
