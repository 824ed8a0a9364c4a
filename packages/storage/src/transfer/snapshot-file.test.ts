import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { EtcdTransport } from "../etcd/transport.ts";
import { saveSnapshot } from "./snapshot-file.ts";

const dir = mkdtempSync(join(tmpdir(), "snapshot-file-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const page = Buffer.alloc(512, 1);
const blob = Buffer.concat([page, createHash("sha256").update(page).digest()]);
const transport = {
  maintenance: {
    snapshot: async () => ({
      async *messages() {
        yield { blob };
      },
    }),
  },
} as unknown as EtcdTransport;

test("a snapshot is readable by its owner only, also if an interrupted run left a file that others could read", async () => {
  const path = join(dir, "a.db");
  writeFileSync(`${path}.unfinished`, "rest", { mode: 0o644 });
  await saveSnapshot(transport, path, () => undefined);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path)).toEqual(blob);
});

test("a symbolic link at the path of the unfinished file is not followed", async () => {
  const path = join(dir, "b.db");
  const other = join(dir, "other");
  writeFileSync(other, "precious");
  symlinkSync(other, `${path}.unfinished`);
  await saveSnapshot(transport, path, () => undefined);
  expect(readFileSync(other, "utf8")).toBe("precious");
  expect(readFileSync(path)).toEqual(blob);
});
