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

/** The entries of all packages other than the index, such as `@orchernetes/storage/transfer`, by the file they are. */
const furtherEntries = packages.flatMap(({ name }) => {
  const folder = join(root, "packages", name);
  const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly exports?: Readonly<Record<string, unknown>>;
  };
  return Object.entries(exports).flatMap(([entry, file]) =>
    entry === "." || typeof file !== "string" || !file.endsWith(".ts") || file.includes("*")
      ? []
      : [{ specifier: `@orchernetes/${name}${entry.slice(1)}`, file: join(folder, file) }],
  );
});

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
  for (const { specifier, file } of furtherEntries) {
    const example = exampleOf(readFileSync(file, "utf8"));
    if (example !== undefined) writeFileSync(join(dir, `${specifier.replaceAll("/", "-")}.ts`), example);
  }
  const paths = {
    "@orchernetes/*": [join(root, "packages/*/src/index.ts")],
    ...Object.fromEntries(furtherEntries.map(({ specifier, file }) => [specifier, [file]])),
  };
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
