import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { createMetrics } from "../metrics/create-metrics.ts";
import { type Check, logCheck, pingCheck, postStartHook, shutdownCheck } from "./check.ts";
import { createHealth, type HealthOptions } from "./create-health.ts";

const etcdDown: Check = {
  name: "etcd",
  check: () => Promise.reject(new Error("dial 10.0.0.1:2379: refused")),
};
const ask = async (options: Partial<HealthOptions>, target: string) => {
  const [path = "", query] = target.split("?");
  return createHealth({ logger: silentLogger, ...options }).evaluate(path, new URLSearchParams(query));
};

test.each<[string, readonly Check[], string, number, string]>([
  ["plain", [pingCheck], "/healthz", 200, "ok"],
  ["a trailing slash", [pingCheck], "/healthz/", 200, "ok"],
  ["no checks", [], "/healthz", 200, "ok"],
  ["verbose", [pingCheck], "/healthz?verbose", 200, "[+]ping ok\nhealthz check passed\n"],
  ["verbose with a value", [pingCheck], "/healthz?verbose=false", 200, "[+]ping ok\nhealthz check passed\n"],
  [
    "a failure",
    [pingCheck, etcdDown],
    "/healthz",
    500,
    "[+]ping ok\n[-]etcd failed: reason withheld\nhealthz check failed\n",
  ],
  ["an excluded failure", [pingCheck, etcdDown], "/healthz?exclude=etcd", 200, "ok"],
  [
    "excluded and verbose",
    [pingCheck, etcdDown],
    "/healthz?verbose&exclude=etcd",
    200,
    "[+]ping ok\n[+]etcd excluded: ok\nhealthz check passed\n",
  ],
  [
    "repeated exclude",
    [pingCheck, etcdDown],
    "/healthz?verbose&exclude=etcd&exclude=ping",
    200,
    "[+]ping excluded: ok\n[+]etcd excluded: ok\nhealthz check passed\n",
  ],
  [
    "unknown exclude",
    [pingCheck],
    '/healthz?verbose&exclude=b&exclude=a"',
    200,
    '[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "a\\"","b"\nhealthz check passed\n',
  ],
  ["one check", [pingCheck], "/healthz/ping", 200, "ok"],
  ["one failing check", [etcdDown], "/healthz/etcd", 500, "internal server error: dial 10.0.0.1:2379: refused\n"],
  [
    "a name with slashes",
    [postStartHook("rbac/bootstrap-roles")],
    "/healthz/poststarthook/rbac/bootstrap-roles",
    500,
    "internal server error: not finished\n",
  ],
])("%s", async (_name, healthz, target, status, body) => {
  expect(await ask({ healthz }, target)).toEqual({
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body,
  });
});

test.each(["/healthz/none", "/health", "/", "/healthzz", "/livez/ping", "/healthz/__proto__"])(
  "%s is not a health path",
  async (path) => {
    expect(await ask({ healthz: [pingCheck] }, path)).toBeUndefined();
  },
);

test("a hook fails readiness until it finished; liveness only after the grace period", async () => {
  let time = 0;
  const hook = postStartHook("start-informers");
  const health = createHealth({ logger: silentLogger, livezGraceMs: 1000, now: () => time });
  health.add(hook);
  const status = async (path: string) => (await health.evaluate(path, new URLSearchParams()))?.status;
  expect([await status("/livez"), await status("/readyz"), await status("/healthz")]).toEqual([200, 500, 500]);
  time = 1001;
  expect(await status("/livez")).toBe(500);
  hook.done();
  expect([await status("/livez"), await status("/readyz"), await status("/healthz")]).toEqual([200, 200, 200]);
});

test("checks can be added and removed, and paths follow", () => {
  const health = createHealth({ logger: silentLogger, healthz: [pingCheck] });
  health.add(shutdownCheck(new AbortController().signal), ["readyz"]);
  expect(health.paths()).toEqual(["/healthz", "/healthz/ping", "/livez", "/readyz", "/readyz/shutdown"]);
  health.remove("ping");
  expect(health.paths()).toEqual(["/healthz", "/livez", "/readyz", "/readyz/shutdown"]);
});

test("shutdown fails readiness immediately", async () => {
  const end = new AbortController();
  const options = { readyz: [shutdownCheck(end.signal)], livez: [pingCheck] };
  expect((await ask(options, "/readyz"))?.status).toBe(200);
  end.abort();
  expect(await ask(options, "/readyz/shutdown")).toMatchObject({
    status: 500,
    body: "internal server error: process is shutting down\n",
  });
  expect((await ask(options, "/livez"))?.status).toBe(200);
});

test("a check that hangs fails in time", async () => {
  const hanging: Check = { name: "slow", check: () => new Promise(() => {}) };
  expect(await ask({ healthz: [hanging], checkTimeoutMs: 10 }, "/healthz")).toMatchObject({ status: 500 });
});

test("the check of a log that is not written any more fails", () => {
  const check = (ageMs: number) =>
    logCheck(
      () => 0,
      30_000,
      () => ageMs,
    ).check(new AbortController().signal);
  expect(check(30_000)).toBeUndefined();
  expect(() => check(31_000)).toThrow("the log was last written 31s ago");
});

test("over HTTP: body, headers, HEAD, and other paths left alone", async () => {
  const health = createHealth({ logger: silentLogger, healthz: [pingCheck] });
  const server = createServer(async (request, response) => {
    if (!(await health.handle(request, response))) response.writeHead(404).end("elsewhere");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = await fetch(`${base}/healthz`);
  expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([
    200,
    "text/plain; charset=utf-8",
    "ok",
  ]);
  expect(await (await fetch(`${base}/healthz`, { method: "HEAD" })).text()).toBe("");
  expect((await fetch(`${base}/other`)).status).toBe(404);
  server.closeAllConnections();
  server.close();
});

test("checks are counted, and their last result is a metric", async () => {
  const metrics = createMetrics();
  let works = true;
  const check = {
    name: "etcd",
    check: () => {
      if (!works) throw new Error("down");
    },
  };
  const health = createHealth({ logger: silentLogger, metrics, livez: [check] });
  await health.evaluate("/livez", new URLSearchParams());
  expect(metrics.render()).toMatch(/^orchernetes_healthcheck\{name="etcd",type="livez"\} 1$/m);
  works = false;
  await health.evaluate("/livez/etcd", new URLSearchParams());
  expect(metrics.render()).toMatch(/^orchernetes_healthcheck\{name="etcd",type="livez"\} 0$/m);
  for (const status of ["success", "error"])
    expect(metrics.render()).toContain(
      `orchernetes_healthchecks_total{name="etcd",type="livez",status="${status}"} 1\n`,
    );
});
