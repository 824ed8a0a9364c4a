import { expect, test } from "vitest";
import { sourceIps } from "./source-ips.ts";

test.each<[string, Record<string, string>, string | undefined, readonly string[]]>([
  ["the connection", {}, "10.0.0.1", ["10.0.0.1"]],
  ["a dual-stack socket", {}, "::ffff:10.0.0.1", ["10.0.0.1"]],
  ["inside the process", {}, undefined, []],
  ["proxies", { "x-forwarded-for": "1.1.1.1, fd00::1" }, "10.0.0.1", ["1.1.1.1", "fd00::1", "10.0.0.1"]],
  ["junk in headers", { "x-forwarded-for": '"},1.1.1.1,x', "x-real-ip": "y" }, "10.0.0.1", ["1.1.1.1", "10.0.0.1"]],
  ["no address twice", { "x-forwarded-for": "1.1.1.1", "x-real-ip": "1.1.1.1" }, "1.1.1.1", ["1.1.1.1"]],
  ["long forms", { "x-forwarded-for": "FD00:0:0::1, ::ffff:1.2.3.4" }, "10.0.0.1", ["fd00::1", "1.2.3.4", "10.0.0.1"]],
  ["zones", { "x-real-ip": "fe80::1%eth0" }, "fe80::2%eth0", ["fe80::2"]],
  ["the real address", { "x-real-ip": "2.2.2.2" }, "10.0.0.1", ["2.2.2.2", "10.0.0.1"]],
])("%s", (_name, headers, remote, want) => {
  expect(sourceIps(headers, remote)).toEqual(want);
});

test("only the first addresses of a long header are processed", () => {
  expect(sourceIps({ "x-forwarded-for": "1.1.1.1,".repeat(10_000) }, "10.0.0.1")).toHaveLength(65);
});
