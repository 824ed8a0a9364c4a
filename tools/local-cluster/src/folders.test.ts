import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureFolders, refuseShared } from "./folders.ts";
import { layout } from "./layout.ts";
import { up } from "./up.ts";

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

test("files that others may read are closed, and links are left alone", () => {
  const files = layout(join(dir, "data"));
  const outside = join(dir, "outside");
  for (const folder of [files.pki, files.logs, files.config]) mkdirSync(folder, { recursive: true });
  const open = [
    join(files.pki, "service-account.key"),
    files.adminConfig,
    files.stateFile,
    files.logFile("orchlet-node-1"),
    files.nodeConfig("node-1"),
  ];
  for (const file of [...open, outside]) {
    writeFileSync(file, "");
    chmodSync(file, 0o666);
  }
  symlinkSync(outside, join(files.pki, "link"));
  ensureFolders(files, [{ name: "node-1", runtime: "containerd" }]);
  for (const file of open) expect([file, statSync(file).mode & 0o7777]).toEqual([file, 0o600]);
  expect(statSync(outside).mode & 0o7777).toBe(0o666);
});

test.skipIf(process.getuid?.() !== 0)("a folder of another user is refused", () => {
  mkdirSync(join(dir, "data"), { mode: 0o700 });
  chownSync(join(dir, "data"), 1000, 1000);
  expect(() => ensureFolders(layout(join(dir, "data")), [])).toThrow(/belongs to user 1000; want one of user 0/);
});

test.each([
  ["an open folder with something in it", 0o1777, "theirs", /is open to them, and holds "theirs"/],
  ["an open folder that others can only read", 0o755, "theirs", /want an empty directory, or none/],
  ["a closed folder with something in it", 0o700, "theirs", undefined],
  ["an open file system of its own", 0o755, "lost+found", undefined],
  ["an open folder with a cluster", 0o755, "cluster.json", undefined],
])("a new cluster in %s", (_, mode, name, refusal) => {
  const files = layout(join(dir, "data"));
  mkdirSync(files.dataDir);
  writeFileSync(join(files.dataDir, name), "");
  chmodSync(files.dataDir, mode);
  if (refusal === undefined) refuseShared(files);
  else expect(() => refuseShared(files)).toThrow(refusal);
});

test("up leaves a folder that is open to everybody as it is", async () => {
  const files = layout(join(dir, "data"));
  mkdirSync(files.dataDir);
  writeFileSync(join(files.dataDir, "theirs"), "");
  chmodSync(files.dataDir, 0o1777);
  const options = {
    nodes: 1,
    store: "embedded",
    profile: undefined,
    runtime: "process",
    dataDir: files.dataDir,
    port: 1,
    from: "source",
    metrics: false,
    foreground: false,
  } as const;
  await expect(up(options, () => undefined)).rejects.toThrow(/holds "theirs"/);
  expect(statSync(files.dataDir).mode & 0o7777).toBe(0o1777);
});
