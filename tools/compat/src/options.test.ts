import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parseOptions } from "./options.ts";

const folder = mkdtempSync(join(tmpdir(), "recordings-"));
writeFileSync(join(folder, "replay.mjs"), "");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ["the folder alone", [], { stores: ["embedded", "etcd"], cluster: false, write: true }],
  ["one store", ["--stores=etcd"], { stores: ["etcd"], write: true }],
  ["Debian's client", ["--kubectl=debian"], { kubectl: "debian" }],
  ["a client's path", ["--kubectl", "/usr/bin/../bin/kubectl"], { kubectl: "/usr/bin/kubectl" }],
  ["a part, which is not written down", ["--filter", "crud-"], { filter: "crud-", write: false }],
])("accepts %s", async (_, argv, want) => {
  expect(await parseOptions([folder, ...argv])).toMatchObject({ folder, ...want });
});

test.each([
  ["no folder", [], /the folder of the recordings/],
  ["a folder without recordings", [tmpdir()], /no replay\.mjs/],
  ["two clients", [folder, "--kubectl=debian", "--orchctl=/bin/orchctl"], /mutually exclusive/],
  ["a store that is not there", [folder, "--stores=x"], /"x"/],
])("refuses %s", async (_, argv, message) => {
  await expect(parseOptions(argv)).rejects.toThrow(message);
});
