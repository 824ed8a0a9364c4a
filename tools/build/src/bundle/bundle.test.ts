import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../paths.ts";
import { programNamed } from "../programs.ts";
import { bundleProgram } from "./bundle.ts";

// In a package, so that the libraries which it uses are found.
mkdirSync(join(root, "packages/cri/dist"), { recursive: true });
const dir = mkdtempSync(join(root, "packages/cri/dist/bundle-test-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const SOURCE = `import { createLogger } from ${JSON.stringify(join(root, "packages/component/src/logs/create-logger.ts"))};
import { originalStack } from ${JSON.stringify(join(root, "packages/component/src/logs/original-stack.ts"))};
const logger = createLogger({ vmodule: ["program=3"] });
interface Gone { readonly lines: "of types" }
logger.info("first");
logger.v(3)?.info("second");
logger.v(4)?.info("too detailed");
logger.child({ a: 1 }).warn("third");
class FirstError extends Error {}
function fail(): never { throw new FirstError("x"); }
try { fail(); } catch (error) { logger.error(error, "fourth", { stack: originalStack((error as Error).stack ?? "") }); }
const grpc = await import("@grpc/grpc-js");
logger.info("fifth", { call: typeof grpc.credentials.createInsecure });
logger.flush();
`;

test("a bundle logs the files and lines of the sources, obeys --vmodule, and loads libraries on first use", async () => {
  const folder = join(dir, "bundle");
  mkdirSync(join(dir, "src"));
  writeFileSync(join(dir, "src/program.ts"), SOURCE);
  const entry = relative(root, join(dir, "src/program.ts"));
  await bundleProgram({ name: "program", entry, isDaemon: false }, folder);
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, "main.mjs")], { encoding: "utf8" });
  expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
  const lines = stderr
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^(.).*? (\S+:\d+\])/, "$1 $2"));
  expect(lines.map((line) => line.replace(/ stack=.*/, ""))).toEqual([
    "I program.ts:5] first",
    "I program.ts:6] second",
    "W program.ts:8] third a=1",
    'E program.ts:11] fourth err="x"',
    'I program.ts:13] fifth call="function"',
  ]);
  expect(lines[3]).toMatch(/stack="Error: x\\n +at fail \(src\/program\.ts:10:\d+\)\\n +at src\/program\.ts:11:/);
  expect(readdirSync(folder).some((name) => /^src-.*\.mjs$/.test(name) || /^grpc.*\.mjs$/.test(name))).toBe(true);
});

test("builds of the same program at the same time do not disturb each other, and leave nothing but the bundle", async () => {
  const src = join(dir, "twice");
  mkdirSync(src);
  writeFileSync(join(src, "program.ts"), 'console.log("runs")');
  const entry = relative(root, join(src, "program.ts"));
  const folder = join(src, "bundle");
  const build = () => bundleProgram({ name: "program", entry, isDaemon: false }, folder);
  await Promise.all([build(), build(), build()]);
  expect(spawnSync(process.execPath, [join(folder, "main.mjs")], { encoding: "utf8" }).stdout).toBe("runs\n");
  expect(readdirSync(src).sort()).toEqual(["bundle", "program.ts"]);
});

test("a daemon's bundle has no configuration of other daemons", async () => {
  const folder = join(dir, "orch-proxy");
  await bundleProgram(programNamed("orch-proxy"), folder);
  const { sources } = JSON.parse(readFileSync(join(folder, "program.cjs.map"), "utf8")) as { sources: string[] };
  const folders = sources.map((path) => /\bconfig\/src\/([\w-]+)\//.exec(path)?.[1]);
  expect([...new Set(folders)].filter((name) => name !== undefined).sort()).toEqual(["proxy"]);
});

const DAEMON = `import { once } from "node:events";
import { createLogger } from ${JSON.stringify(join(root, "packages/component/src/logs/create-logger.ts"))};
import { originalStack } from ${JSON.stringify(join(root, "packages/component/src/logs/original-stack.ts"))};
import { yamlLibrary } from ${JSON.stringify(join(root, "packages/apimachinery/src/codec/yaml-library.ts"))};
const logger = createLogger({ vmodule: ["run=3"] });
export async function run(): Promise<number> {
  logger.info("first");
  logger.v(3)?.info("detailed");
  logger.v(4)?.info("too detailed");
  logger.flush();
  if (process.argv[2] === "wait") await once(process.stdin, "data");
  const { parse } = await import("./later.ts");
  try { parse(yamlLibrary().parse("a: x")); } catch (error) {
    logger.error(error, "second", { stack: originalStack((error as Error).stack ?? "") });
  }
  logger.flush();
  return 3;
}
`;
const LATER = `interface Value { readonly a: string }
export function parse({ a }: Value): never {
  throw new Error(a);
}
`;

describe("a daemon's bundle", () => {
  const src = join(dir, "daemon");
  const folder = join(src, "bundle");
  const main = join(folder, "main.mjs");
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" };
  beforeAll(async () => {
    mkdirSync(src);
    writeFileSync(join(src, "run.ts"), DAEMON);
    writeFileSync(join(src, "later.ts"), LATER);
    await bundleProgram({ name: "daemon", entry: relative(root, join(src, "main.mjs")), isDaemon: true }, folder);
  });

  test.each([
    ["by itself", []],
    ["with --enable-source-maps", ["--enable-source-maps"]],
  ])("runs its code from one file, with the exit code, files and lines of the sources: %s", (_, options) => {
    const { stderr, status } = spawnSync(process.execPath, [...options, main], { encoding: "utf8", env });
    expect(status).toBe(3);
    expect(stderr).toMatch(/^I.* run\.ts:7\] first\nI.* run\.ts:8\] detailed\nE.* run\.ts:14\] second err="x" /);
    expect(stderr).toMatch(/stack="Error: x\\n +at parse \(.*later\.ts:3:\d+\)\\n +at .*run\.ts:13:/);
    expect(stderr.trimEnd().split("\n")).toHaveLength(3);
    expect(readdirSync(folder).filter((name) => name.endsWith("js"))).toEqual(["main.mjs", "program.cjs"]);
  });

  test("that is replaced by an upgrade while it runs still loads its libraries", async () => {
    const running = spawn(process.execPath, [main, "wait"], { env, stdio: ["pipe", "ignore", "pipe"] });
    const lines = running.stderr.setEncoding("utf8")[Symbol.asyncIterator]();
    expect((await lines.next()).value).toMatch(/ first\n/);
    const taken = `${folder}.taken`;
    renameSync(folder, taken);
    try {
      running.stdin.end("go on");
      expect((await lines.next()).value).toMatch(/ second err="x" /);
    } finally {
      running.kill();
      renameSync(taken, folder);
    }
  });
});
