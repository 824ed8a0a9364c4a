import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { root } from "../paths.ts";
import { unusedParts } from "./unused-parts.ts";

const folder = mkdtempSync(join(tmpdir(), "unused-parts-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("express runs without its body parser and most media types; what needs them says so", async () => {
  const outfile = join(folder, "express.cjs");
  const { metafile } = await build({
    stdin: { contents: 'module.exports = require("express");', resolveDir: join(root, "packages/daemon-server") },
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile,
    metafile: true,
    logLevel: "silent",
    plugins: [unusedParts],
  });
  const inputs = Object.keys(metafile.inputs).join("\n");
  expect(inputs).toContain("express/lib/express.js");
  for (const left of ["iconv-lite", "mime-db/db.json", "body-parser/lib"]) expect(inputs).not.toContain(left);
  const express = createRequire(import.meta.url)(outfile) as { (): { handle: unknown }; json: () => unknown };
  expect(typeof express().handle).toBe("function");
  expect(() => express.json()).toThrow("the bundle has no body parser");
});
