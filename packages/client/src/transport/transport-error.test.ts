import { expect, test } from "vitest";
import { addressOf } from "./address.ts";
import { transportError } from "./transport-error.ts";

test.each([
  ["https://api.example", { hostname: "api.example", port: 443, base: "" }],
  ["http://api.example/", { hostname: "api.example", port: 80, base: "" }],
  ["https://api.example:6443/proxy/a//", { hostname: "api.example", port: 6443, base: "/proxy/a" }],
  ["https://[fd00::1]:6443", { hostname: "fd00::1", port: 6443, base: "" }],
  ["https://api.example:80", { hostname: "api.example", port: 80, base: "" }],
])("the address of %s", (url, want) => {
  expect(addressOf(new URL(url))).toEqual(want);
});

const failure = (code: string) => Object.assign(new Error("failed"), { code });

test.each([
  ["ECONNREFUSED", {}, { sent: false, staleConnection: false }],
  ["ENOTFOUND", { reused: true }, { sent: false, staleConnection: false }],
  ["CERT_HAS_EXPIRED", {}, { sent: false, staleConnection: false }],
  ["ECONNRESET", {}, { sent: true, staleConnection: false }],
  ["ECONNRESET", { reused: true }, { sent: true, staleConnection: true }],
  ["EPIPE", { reused: true, sent: false }, { sent: false, staleConnection: true }],
  ["ETIMEDOUT", { reused: true }, { sent: true, staleConnection: false }],
])("after %s of a request %j it is known whether it can be repeated", (code, state, want) => {
  expect(transportError("GET", "/api", failure(code), state)).toMatchObject({
    code,
    message: "GET /api: failed",
    ...want,
  });
});

test("an error without a code, a message, or a class is reported too", () => {
  expect(transportError("GET", "/", new Error("odd"))).toMatchObject({ code: "ERR_TRANSPORT", message: "GET /: odd" });
  const silent = Object.assign(new Error(""), { code: "EPROTO" });
  expect(transportError("GET", "/", silent)).toMatchObject({ message: "GET /: EPROTO", cause: silent });
  expect(transportError("GET", "/", "text")).toMatchObject({ message: "GET /: text", sent: true });
  const numeric = Object.assign(new Error("n"), { code: 7 });
  expect(transportError("GET", "/", numeric).code).toBe("ERR_TRANSPORT");
});
