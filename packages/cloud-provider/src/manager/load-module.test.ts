import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findProvider } from "./find-provider.ts";
import { loadProviderModule } from "./load-module.ts";

const dir = mkdtempSync(join(tmpdir(), "cloud-module-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  chmodSync(path, 0o644);
  return path;
}
const good = file("good.ts", 'const name: string = "mine";\nexport default { create: () => ({ name }) };\n');

test("a TypeScript file with a provider is loaded, also over a link", async () => {
  expect(await loadProviderModule(good)).toHaveProperty("module.create");
  const link = join(dir, "link.ts");
  symlinkSync(good, link);
  expect(await findProvider({}, link)).toHaveProperty("module.create");
});

test.each([
  ["without a provider", "export default {};", "is no cloud provider: want a default export with a function"],
  ["without a default export", "export const a = 1;", "is no cloud provider"],
  ["that fails", 'throw new Error("boom");', "cannot be loaded: boom"],
])("a file %s is an error", async (name, text, message) => {
  const path = file(`${name.replaceAll(" ", "-")}.ts`, text);
  expect(await findProvider({}, path)).toEqual({ error: expect.stringContaining(`flag --cloud-provider: `) });
  expect(await loadProviderModule(path)).toEqual({ error: expect.stringContaining(message) });
});

test("a file that others could change is not loaded", async () => {
  const path = file("open.ts", "export default { create() {} };");
  chmodSync(path, 0o666);
  expect(await loadProviderModule(path)).toEqual({ error: expect.stringContaining("can be changed by other users") });
  const folder = join(dir, "shared");
  mkdirSync(folder);
  writeFileSync(join(folder, "a.ts"), "export default { create() {} };");
  chmodSync(folder, 0o777);
  expect(await loadProviderModule(join(folder, "a.ts"))).toEqual({
    error: expect.stringContaining(`"${folder}" can be changed`),
  });
  const uid = process.geteuid?.() ?? 0;
  expect(await loadProviderModule(good, [uid + 1])).toEqual({
    error: expect.stringContaining(`belongs to user ${uid}`),
  });
});

test("a path that is no file, or is relative, is an error", async () => {
  expect(await loadProviderModule(join(dir, "gone.ts"))).toEqual({ error: expect.stringContaining("ENOENT") });
  expect(await loadProviderModule(dir)).toEqual({ error: expect.stringContaining("is no file") });
  expect(await findProvider({}, "./good.ts")).toEqual({ error: expect.stringContaining("unknown cloud provider") });
});
