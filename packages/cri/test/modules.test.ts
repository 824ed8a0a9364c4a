import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const PROGRAM = `
import { createRequire } from "node:module";
import { createCriClient } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
const cri = createCriClient({ endpoint: "/nowhere.sock" });
await cri.runtime.version({ version: "v1" }).catch(() => undefined);
cri.close();
const files = Object.keys(createRequire(import.meta.url).cache);
process.stdout.write(JSON.stringify(files.map((file) => file.replace(/.*\\/node_modules\\//, ""))));
`;

test("a client loads the reader and writer of protobufjs without its reflection", async () => {
  const args = ["--input-type=module", "--eval", PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  const files: string[] = JSON.parse(stdout);
  expect(files).toEqual(expect.arrayContaining(["protobufjs/src/reader.js", "protobufjs/src/writer.js"]));
  expect(files).not.toContain("protobufjs/src/root.js");
});
