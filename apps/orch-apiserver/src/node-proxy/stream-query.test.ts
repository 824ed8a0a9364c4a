import { expect, test } from "vitest";
import { connectOptions } from "./connect-options.ts";
import { portQuery, streamQuery } from "./stream-query.ts";

test.each([
  ["exec", "command=sh&command=-c&stdout=true&stderr=1", "output=1&error=1&command=sh&command=-c"],
  // Clients in Python write their booleans like this.
  ["exec", "command=id&stdin=False&stdout=True&tty=True", "output=1&tty=1&command=id"],
  ["attach", "stdin=&stdout=false", "input=1"],
])("%s with %s", (subresource, query, want) => {
  expect(streamQuery(connectOptions(new URLSearchParams(query)), subresource).toString()).toBe(want);
});

test.each([
  ["exec", "stdout=0&command=id", /at least 1 of/],
  ["exec", "stdout=true", /must specify command/],
  ["attach", "tty=true&stderr=true", /tty and stderr/],
])("%s with %s is refused", (subresource, query, message) => {
  expect(() => streamQuery(connectOptions(new URLSearchParams(query)), subresource)).toThrow(message);
});

test("ports come one by one", () => {
  expect(portQuery(connectOptions(new URLSearchParams("ports=80,81&ports=90"))).toString()).toBe(
    "port=80&port=81&port=90",
  );
});

test("ports that are no numbers are refused", () => {
  expect(() => connectOptions(new URLSearchParams("ports=80,http"))).toThrow('invalid port "http"');
});
