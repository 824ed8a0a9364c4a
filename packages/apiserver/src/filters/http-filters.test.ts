import { EventEmitter } from "node:events";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import type { HttpFilter } from "../interfaces/server.ts";
import { cors } from "./cors.ts";
import { goaway, isHstsDirective, strictTransportSecurity } from "./http-filters.ts";

/** Runs a filter; gives what it set and whether it answered. */
function run(
  filter: HttpFilter,
  request: { method?: string; origin?: string; httpVersionMajor?: number; stream?: unknown } = {},
) {
  const headers: Record<string, unknown> = {};
  let code: number | undefined;
  const { method = "GET", origin, httpVersionMajor = 1, stream } = request;
  const req = { method, headers: origin === undefined ? {} : { origin }, httpVersionMajor, stream };
  const res = {
    headersSent: false,
    setHeader: (name: string, value: unknown) => {
      headers[name] = value;
    },
    writeHead: (status: number) => {
      code = status;
    },
    end() {},
  };
  const answered = filter(req as unknown as HttpRequest, res as unknown as HttpResponse);
  return { answered, headers, code };
}

const allowed = cors([/^https:\/\/app\.example$/, /\.test$/]);

test.each([
  ["no origin", {}, undefined],
  ["an allowed origin", { origin: "https://app.example" }, "https://app.example"],
  ["an origin a pattern occurs in", { origin: "http://x.test" }, "http://x.test"],
  ["another origin", { origin: "https://app.example.evil" }, undefined],
])("%s", (_name, request, want) => {
  const { answered, headers } = run(allowed, request);
  expect(answered).toBe(false);
  expect(headers["access-control-allow-origin"]).toBe(want);
  expect(headers["access-control-allow-credentials"]).toBe(want === undefined ? undefined : "true");
});

test("preflights are answered for allowed origins only", () => {
  const preflight = run(allowed, { method: "OPTIONS", origin: "https://app.example" });
  expect(preflight).toMatchObject({ answered: true, code: 204 });
  expect(preflight.headers["access-control-allow-methods"]).toBe("POST, GET, OPTIONS, PUT, DELETE, PATCH");
  expect(run(allowed, { method: "OPTIONS", origin: "https://other" })).toMatchObject({ answered: false, headers: {} });
});

test.each([
  ["max-age=31536000", true],
  ["includeSubDomains", true],
  ["preload", true],
  ["max-age=", false],
  ["max-age=1\r\nset-cookie: a", false],
  ["includesubdomains", false],
])("%s is a directive: %s", (text, want) => {
  expect(isHstsDirective(text)).toBe(want);
});

test("the HSTS header joins the directives", () => {
  const { headers, answered } = run(strictTransportSecurity(["max-age=10", "includeSubDomains"]));
  expect([headers, answered]).toEqual([{ "strict-transport-security": "max-age=10; includeSubDomains" }, false]);
});

test.each([
  [0.005, "close"],
  [0.01, undefined],
])("HTTP/1.1: a random number of %s against a chance of 0.01", (random, connection) => {
  expect(run(goaway(0.01, () => random)).headers.connection).toBe(connection);
});

test("HTTP/2: a session gets one GOAWAY, which does not affect streams in flight", () => {
  const sent: unknown[][] = [];
  const session = Object.assign(new EventEmitter(), {
    closed: false,
    destroyed: false,
    goaway: (...values: unknown[]) => sent.push(values),
    close() {},
  });
  const filter = goaway(1, () => 0);
  for (let i = 0; i < 3; i++) run(filter, { httpVersionMajor: 2, stream: { session } });
  expect(sent).toEqual([[0, 2 ** 31 - 1]]);
});
