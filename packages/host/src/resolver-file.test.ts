import { expect, test } from "vitest";
import { parseResolverFile } from "./resolver-file.ts";

test("servers and options are collected, and the last search line applies", () => {
  const text =
    "# comment\nnameserver 10.0.0.1 ; first\nsearch a. b\nsearch c\noptions ndots:5 rotate\nnameserver fd00::1\n";
  expect(parseResolverFile(text)).toEqual({
    servers: ["10.0.0.1", "fd00::1"],
    searches: ["c"],
    options: ["ndots:5", "rotate"],
  });
  expect(parseResolverFile("")).toEqual({ servers: [], searches: [], options: [] });
});
