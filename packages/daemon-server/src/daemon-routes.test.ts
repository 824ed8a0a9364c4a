import { createHealth, createMetrics, createPlainServing, type PlainServing, respond } from "@orchernetes/component";
import { type HttpHandler, silentLogger } from "@orchernetes/kernel";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { daemonRoutes } from "./daemon-routes.ts";

const text =
  (body: string): HttpHandler =>
  (request, response) =>
    respond(request, response, 200, { "content-type": "text/plain" }, body);

describe("the routes of a daemon", () => {
  let serving: PlainServing;
  beforeAll(async () => {
    const metrics = createMetrics();
    metrics.counter({ name: "things_total", help: "Things." }).inc();
    const handler = daemonRoutes({
      health: createHealth({ healthz: [{ name: "ping", check: () => undefined }], logger: silentLogger }),
      metrics,
      profiling: {},
      paths: {
        "/configz": text("configuration"),
        "/fails": () => Promise.reject(new Error("secret detail")),
      },
    });
    serving = await createPlainServing({ bindAddress: "127.0.0.1", port: 0, logger: silentLogger }, handler);
  });
  afterAll(() => serving.close());

  test.each([
    ["GET", "/healthz", 200, "ok"],
    ["GET", "/healthz/ping", 200, "ok"],
    ["GET", "/healthz?verbose", 200, "[+]ping ok\nhealthz check passed\n"],
    ["GET", "/healthz/none", 404, "404 page not found\n"],
    ["GET", "/metrics", 200, expect.stringContaining("things_total 1")],
    ["POST", "/metrics", 200, expect.stringContaining("things_total 1")],
    ["GET", "/metrics?x[__proto__]=1", 200, expect.stringContaining("things_total 1")],
    ["GET", "/configz", 200, "configuration"],
    ["GET", "/debug/pprof/symbol", 200, expect.any(String)],
    ["GET", "/metrics/", 404, "404 page not found\n"],
    ["GET", "/Metrics", 404, "404 page not found\n"],
    ["GET", "/%zz", 404, "404 page not found\n"],
    ["GET", "/", 404, "404 page not found\n"],
    ["GET", "/fails", 500, "internal server error\n"],
  ])("%s %s: %i", async (method, path, status, body) => {
    const answer = await fetch(`http://127.0.0.1:${serving.port}${path}`, { method });
    expect([answer.status, await answer.text()]).toEqual([status, body]);
    expect([answer.headers.get("x-powered-by"), answer.headers.get("etag")]).toEqual([null, null]);
  });

  test("a response to HEAD has no body", async () => {
    const answer = await fetch(`http://127.0.0.1:${serving.port}/configz`, { method: "HEAD" });
    expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([200, "13", ""]);
  });
});
