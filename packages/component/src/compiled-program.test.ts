import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

let dir = "";
let file = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "compiled-"));
  file = join(dir, "program.cjs");
  writeFileSync(file, programThatPrints("first"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const programThatPrints = (text: string): string =>
  `(function(require,__filename){const{basename}=require("node:path");console.log("${text}",basename(__filename));})`;

/**
 * Starts the program; compiled code is stored immediately, and the process then ends without a signal.
 * @param loaded what runs when the program has been loaded
 */
function start(env: Readonly<Record<string, string>> = { XDG_CACHE_HOME: dir }, loaded = ""): string {
  const url = new URL("compiled-program.mjs", import.meta.url).href;
  const main = `const { runCompiled } = await import(${JSON.stringify(url)});
    console.log(runCompiled(${JSON.stringify(file)}, { keepAfterMs: 0 }) ? "kept code" : "new code");
    ${loaded}
    setTimeout(() => undefined, 50);`;
  const bare = { PATH: process.env.PATH, HOME: "/", ...env };
  return execFileSync(process.execPath, ["--input-type=module", "-e", main], {
    encoding: "utf8",
    env: bare,
    timeout: 30_000,
  });
}

const cacheFile = (): string => {
  const folder = join(dir, "orchernetes/code");
  return join(folder, readdirSync(folder)[0] ?? "");
};

test("the second start uses the code of the first", () => {
  expect(start()).toBe("first program.cjs\nnew code\n");
  expect(start()).toBe("first program.cjs\nkept code\n");
});

test("the second start of a program that spares memory uses the code of the first", () => {
  // As in a built program, whose main module has a copy of its own.
  const copy = new URL("spare-memory.mjs?copy", import.meta.url).href;
  const loaded = `(await import(${JSON.stringify(copy)})).spareMemory();`;
  const sparing = () => start({ XDG_CACHE_HOME: dir }, loaded);
  expect(sparing()).toBe("first program.cjs\nnew code\n");
  expect(sparing()).toBe("first program.cjs\nkept code\n");
});

test("a changed program of the same length is compiled again", () => {
  start();
  writeFileSync(file, programThatPrints("other"));
  expect(start()).toBe("other program.cjs\nnew code\n");
  expect(start()).toBe("other program.cjs\nkept code\n");
});

test.each([
  ["cut off", (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
  ["empty", () => Buffer.alloc(0)],
  ["damaged", (bytes: Buffer) => Buffer.from(bytes).fill(1, 100, 101)],
])("code that is %s is not used, and replaced", (_, damage) => {
  start();
  writeFileSync(cacheFile(), damage(readFileSync(cacheFile())));
  expect(start()).toBe("first program.cjs\nnew code\n");
  expect(start()).toBe("first program.cjs\nkept code\n");
});

test("code that comes with the program is used without a folder, and replaced if it is another program's", () => {
  start();
  copyFileSync(cacheFile(), join(dir, "program.code"));
  expect(start({})).toBe("first program.cjs\nkept code\n");
  const disabled = { XDG_CACHE_HOME: dir, NODE_DISABLE_COMPILE_CACHE: "1" };
  expect(start(disabled)).toBe("first program.cjs\nnew code\n");
  writeFileSync(file, programThatPrints("other"));
  expect(start({})).toBe("other program.cjs\nnew code\n");
  expect([start(), start()]).toEqual(["other program.cjs\nnew code\n", "other program.cjs\nkept code\n"]);
});

test("code that comes with the program may be another user's, as the program may", () => {
  start();
  const code = join(dir, "program.code");
  copyFileSync(cacheFile(), code);
  chmodSync(code, 0o666);
  expect(start({})).toBe("first program.cjs\nkept code\n");
});

test.each([
  ["is disabled", { NODE_DISABLE_COMPILE_CACHE: "1" }],
  ["has no folder", {}],
])("nothing is kept if the cache %s", (_, env: Readonly<Record<string, string>>) => {
  start(env);
  expect(start(env)).toBe("first program.cjs\nnew code\n");
  expect(readdirSync(dir)).toEqual(["program.cjs"]);
});

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;
/** Puts a link to another place where a file or folder was. */
const replaceByLink = (path: string) => {
  renameSync(path, `${path}.real`);
  symlinkSync(`${path}.real`, path);
};

test.each<[string, (file: string) => void]>([
  ["is writable for other users", (file) => chmodSync(file, 0o622)],
  ["is writable for its group", (file) => chmodSync(file, 0o620)],
  ["is in a folder that other users can write", (file) => chmodSync(dirname(file), 0o777)],
  ["is a link", replaceByLink],
  ["is in a folder that is a link", (file) => replaceByLink(dirname(file))],
  [
    "is a pipe",
    (file) => {
      rmSync(file);
      execFileSync("mkfifo", [file]);
    },
  ],
])("code that %s is not run", (_, expose) => {
  start();
  expose(cacheFile());
  expect(start()).toBe("first program.cjs\nnew code\n");
});

test.runIf(isRoot).each<[string, (file: string) => void]>([
  ["code that another user owns", (file) => chownSync(file, NOBODY, NOBODY)],
  ["code in a folder that another user owns", (file) => chownSync(dirname(file), NOBODY, NOBODY)],
])("root does not run %s", (_, give) => {
  start();
  give(cacheFile());
  expect(start()).toBe("first program.cjs\nnew code\n");
});

test("nothing is stored in a folder that other users can write", () => {
  const folder = join(dir, "orchernetes/code");
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  start();
  expect(readdirSync(folder)).toEqual([]);
});

test("a file that cannot take its place is removed", () => {
  start();
  const file = cacheFile();
  rmSync(file);
  mkdirSync(join(file, "occupied"), { recursive: true });
  start();
  expect(readdirSync(dirname(file))).toHaveLength(1);
});
