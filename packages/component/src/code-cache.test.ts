import { execFileSync } from "node:child_process";
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

test("is there before types have to be stripped", () => {
  const url = new URL("code-cache.mjs", import.meta.url).href;
  const program = `await import(${JSON.stringify(url)}); console.log(process.moduleLoadList.join())`;
  const loaded = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(loaded).toContain("internal/modules/typescript");
  expect(loaded).not.toContain("internal/deps/amaro");
}, 120_000);
