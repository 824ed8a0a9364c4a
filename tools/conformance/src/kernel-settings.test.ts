import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keepKernelSettings } from "./kernel-settings.ts";

test("settings that have changed get their values back; those that a kernel lacks do not matter", async () => {
  const folder = mkdtempSync(join(tmpdir(), "settings-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "kernel"));
  const file = join(folder, "kernel/panic");
  writeFileSync(file, "0\n");
  const settings = await keepKernelSettings(folder);
  writeFileSync(file, "10\n");
  await settings.restore();
  expect(readFileSync(file, "utf8")).toBe("0\n");
});
