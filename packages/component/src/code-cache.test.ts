import { expect, test } from "vitest";
import { codeCacheDirectory } from "./code-cache.mjs";

test.each([
  [
    "systemd's folder first",
    { CACHE_DIRECTORY: "/var/cache/a:/b", XDG_CACHE_HOME: "/x" },
    "/h",
    "/var/cache/a/orchernetes/code",
  ],
  ["the user's cache folder", { XDG_CACHE_HOME: "/x" }, "/h", "/x/orchernetes/code"],
  ["relative folders do not count", { XDG_CACHE_HOME: "x" }, "/h", "/h/.cache/orchernetes/code"],
  ["else below the home folder", {}, "/h", "/h/.cache/orchernetes/code"],
  ["a service without a home keeps none", {}, "/", undefined],
])("%s", (_, env, home, want) => {
  expect(codeCacheDirectory(env, home)).toBe(want);
});
