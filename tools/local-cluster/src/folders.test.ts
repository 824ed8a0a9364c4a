import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureFolders } from "./folders.ts";
import { layout } from "./layout.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-folders-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test.each([
  ["containerd", 0o700],
  ["process", 0o711],
] as const)("the folders of a cluster with %s are closed, those that are there too", (runtime, passage) => {
  const files = layout(join(dir, "data"));
  for (const folder of [files.pki, files.logs, files.node("node-1")]) mkdirSync(folder, { recursive: true });
  for (const folder of [files.dataDir, files.pki, files.logs, files.node("node-1")]) chmodSync(folder, 0o777);
  ensureFolders(files, [{ name: "node-1", runtime }]);
  const modes = [
    files.dataDir,
    join(files.dataDir, "nodes"),
    files.node("node-1"),
    files.pki,
    files.logs,
    files.config,
  ];
  expect(modes.map((folder) => statSync(folder).mode & 0o7777)).toEqual([
    passage,
    passage,
    passage,
    0o700,
    0o700,
    0o700,
  ]);
});
