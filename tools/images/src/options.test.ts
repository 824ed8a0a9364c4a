import { expect, test } from "vitest";
import { parseOptions } from "./options.ts";

test.each([
  ["a socket", ["--socket", "/run/c.sock"], { socket: "/run/c.sock" }],
  ["a socket as an endpoint", ["--socket=unix:///run/c.sock"], { socket: "/run/c.sock" }],
  ["a folder", ["--out", "/tmp/images"], { out: "/tmp/images" }],
  ["both", ["--out=/o", "--socket=/s"], { out: "/o", socket: "/s" }],
])("accepts %s", async (_, argv, want) => {
  expect(await parseOptions(argv)).toEqual(want);
});

test.each([
  ["nothing to do", [], /--socket SOCK .* --out DIR/],
  ["an option that is not there", ["--sock=/s"], /sock/],
  ["an option without its value", ["--out"], /out/],
])("refuses %s", async (_, argv, message) => {
  await expect(parseOptions(argv)).rejects.toThrow(message);
});
