import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { ensureCertificates } from "./certificates.ts";
import { writeConfigurations } from "./configurations.ts";

const folder = "/var/lib/orchernetes";
const root = join(import.meta.dirname, "../../..");
const dir = mkdtempSync(join(tmpdir(), "compose-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
await ensureCertificates(dir);
writeConfigurations(dir);

interface Service {
  readonly command: string;
  readonly depends_on?: Readonly<Record<string, unknown>> | readonly string[];
}
const file = readFileSync(join(import.meta.dirname, "../docker-compose.yml"), "utf8");
const { services } = parse(file, { merge: true }) as { readonly services: Readonly<Record<string, Service>> };
const rows = Object.entries(services);

test.each(rows)("%s runs a program of this workspace", (_, { command }) => {
  const [program, script] = command.split(" ");
  if (program === "node") expect(existsSync(join(root, script ?? ""))).toBe(true);
  else expect(program).toBe("etcd");
});

test.each(rows)("every file that %s names is made", (_, { command }) => {
  const flags = command
    .split(" ")
    .filter((word) => !/^--(socket|root|root-dir|data-dir|embedded-store-path)=/.test(word));
  for (const path of flags.join(" ").match(/\/var\/lib\/orchernetes\/[\w./-]+/g) ?? [])
    if (!path.startsWith(`${folder}/store`)) expect(existsSync(path.replace(folder, dir)), path).toBe(true);
});

test.each(rows)("%s depends on services that are there", (_, { depends_on = {} }) => {
  for (const name of Array.isArray(depends_on) ? depends_on : Object.keys(depends_on))
    expect(services).toHaveProperty(name);
});

test("what exists is kept", async () => {
  const before = readFileSync(join(dir, "pki/ca.crt"), "utf8");
  await ensureCertificates(dir);
  expect(readFileSync(join(dir, "pki/ca.crt"), "utf8")).toBe(before);
});
