import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pinnedNode, root } from "../paths.ts";
import { packClient } from "./pack-client.ts";

const dir = mkdtempSync(join(tmpdir(), "client-package-"));
const installed = join(dir, "node_modules/@orchernetes/client");
afterAll(() => rmSync(dir, { recursive: true, force: true }));

beforeAll(async () => {
  const tarball = await packClient();
  writeFileSync(join(dir, "package.json"), '{ "private": true, "type": "module" }');
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: dir, stdio: "pipe" });
}, 120_000);

test("the package is installed without any other", () => {
  const lock = JSON.parse(readFileSync(join(dir, "package-lock.json"), "utf8")) as { readonly packages: object };
  expect(Object.keys(lock.packages)).toEqual(["", "node_modules/@orchernetes/client"]);
  for (const file of ["LICENSE", "NOTICES.txt", "README.md", "sbom.cdx.json"])
    expect(existsSync(join(installed, file)), file).toBe(true);
});

test("its example runs against a server", async () => {
  const server = await startApiServer();
  try {
    copyFileSync(join(installed, "examples/list-and-watch.mjs"), join(dir, "example.mjs"));
    const output = execFileSync(pinnedNode, ["example.mjs", server.clientConfig], { cwd: dir, encoding: "utf8" });
    expect(output.trim().split("\n")).toEqual(["created example", "listed example", "MODIFIED", "DELETED"]);
  } finally {
    await server.stop();
  }
}, 120_000);

test("its declarations stand by themselves, and type what it exports", () => {
  writeFileSync(
    join(dir, "typed.ts"),
    `import { createClient, loadClientConfig, type ResourceRef } from "@orchernetes/client";
interface Widget { apiVersion: string; kind: string; metadata: { name: string }; spec: { size: number } }
const widgets: ResourceRef<Widget> = { group: "x.io", version: "v1", plural: "widgets", kind: "Widget", scope: "Cluster" };
const client = createClient(loadClientConfig("file"));
export const size: number = (await client.resource(widgets).get("w")).spec.size;
// @ts-expect-error: it is no text
export const text: string = (await client.resource(widgets).get("w")).spec.size;
`,
  );
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2024", "--types", "node"];
  const types = ["--typeRoots", join(root, "node_modules/@types")];
  const tsc = [join(root, "node_modules/typescript/bin/tsc"), ...options, ...types, "--ignoreConfig", "typed.ts"];
  const output = (() => {
    try {
      return execFileSync(pinnedNode, tsc, { cwd: dir, encoding: "utf8" });
    } catch (error) {
      return (error as { readonly stdout: string }).stdout;
    }
  })();
  expect(output).toBe("");
}, 120_000);
