import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
// Inside the workspace, so that the types of Node.js are found.
const parent = join(import.meta.dirname, "../dist");
let dir: string;
beforeAll(() => {
  mkdirSync(parent, { recursive: true });
  dir = mkdtempSync(join(parent, "examples-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const packages = readdirSync(join(root, "packages")).map((name) => ({
  name,
  example: exampleOf(readFileSync(join(root, "packages", name, "src/index.ts"), "utf8")),
}));

/** The code of the `@example` in the comment at the beginning of a file. */
function exampleOf(source: string): string | undefined {
  const comment = source.slice(0, source.indexOf("*/"));
  const [, block] = /@example\n \* ```ts\n(.*?) \* ```\n/s.exec(comment) ?? [];
  return block?.replaceAll(/^ \* ?/gm, "");
}

test.each(packages)("the index of packages/$name has an example that imports the package", ({ name, example }) => {
  expect(example).toContain(`from "@orchernetes/${name}";`);
});

test("the examples of all packages type check", async () => {
  for (const { name, example = "" } of packages) writeFileSync(join(dir, `${name}.ts`), example);
  const paths = { "@orchernetes/*": [join(root, "packages/*/src/index.ts")] };
  const compilerOptions = { noUnusedLocals: false, paths };
  writeFileSync(
    join(dir, "tsconfig.json"),
    JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions, include: ["*.ts"] }),
  );
  const output = await new Promise<string>((resolve) => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    execFile(process.execPath, [tsc, "--pretty", "false", "-p", dir], (_, stdout, stderr) => resolve(stdout + stderr));
  });
  expect(output).toBe("");
}, 120_000);
