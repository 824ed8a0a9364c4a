import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shell } from "../src/pods.ts";
import { cannotRun, startTestNode, type TestNode, title } from "../src/test-node.ts";

const good = (name: string) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "c", image: "localhost/busybox:1", ...shell("sleep 600") }],
    },
  });

/** Most memory that an agent with a few pods may take while it reads the largest manifests that it accepts each second, in bytes. */
const MOST_MEMORY = 700 * 1024 ** 2;

const residentBytes = (pid: number): number => {
  const [, kib = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) * 1024;
};

/** Puts something into the folder of static pods that is no manifest, or one that is made to do harm. */
const hostile: readonly [name: string, put: (path: string) => void][] = [
  ["a FIFO, which nobody writes", (path) => void execFileSync("mkfifo", [path])],
  ["a terabyte without content", (path) => execFileSync("truncate", ["--size=1T", path])],
  ["a link to the passwords of the host", (path) => symlinkSync("/etc/shadow", path)],
  ["a link to an endless device", (path) => symlinkSync("/dev/zero", path)],
  ["a link to itself", (path) => symlinkSync(path, path)],
  ["a link to nothing", (path) => symlinkSync("/none", path)],
  ["a folder", (path) => mkdirSync(path)],
  [
    "a socket",
    (path) =>
      void execFileSync("perl", [
        "-MIO::Socket::UNIX",
        "-e",
        `IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1)`,
        path,
      ]),
  ],
  [
    "bytes that are no text",
    (path) => writeFileSync(path, Buffer.from(Array.from({ length: 65_536 }, (_, i) => (i * 37) % 256))),
  ],
  ["deep JSON", (path) => writeFileSync(path, `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`)],
  [
    "a pod with deep JSON",
    (path) =>
      writeFileSync(
        path,
        `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"deep","annotations":${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}},"spec":{}}`,
      ),
  ],
  ["deep YAML", (path) => writeFileSync(path, Array.from({ length: 3000 }, (_, i) => `${" ".repeat(i)}a:\n`).join(""))],
  [
    "YAML whose references multiply",
    (path) =>
      writeFileSync(
        path,
        `a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n${Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(10)}]\n`).join("")}`,
      ),
  ],
  [
    "ten thousand containers",
    (path) => {
      const containers = Array.from({ length: 10_000 }, (_, i) => ({ name: `c${i}`, image: "localhost/none:1" }));
      writeFileSync(
        path,
        JSON.stringify({
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "many" },
          spec: { containers: containers.map((c) => ({ ...c, name: `../../${c.name}` })) },
        }),
      );
    },
  ],
  ["a name that leads elsewhere", (path) => writeFileSync(path, good("../../../../tmp/o8s-hostile"))],
  [
    "a uid that leads elsewhere",
    (path) =>
      writeFileSync(path, good("uid").replace('"namespace"', '"uid":"../../../../tmp/o8s-hostile","namespace"')),
  ],
  [
    "a prototype",
    (path) => writeFileSync(path, good("proto").replace('"spec"', '"__proto__":{"polluted":true},"spec"')),
  ],
];

describe.skipIf(cannotRun !== undefined)(title("a folder of static pods"), () => {
  let node: TestNode;
  beforeAll(async () => {
    node = await startTestNode();
    await node.until("the node to be ready", () => node.condition("Ready") === "True");
    writeFileSync(join(node.manifests, "first.json"), good("first"));
    await node.until("the first pod", () => node.shown("first-node-a")?.status?.phase === "Running");
  });
  afterAll(() => node?.stop());

  test.each(hostile.map(([name, put], i) => [name, put, i] as const))(
    "that contains %s does not stop the other pods",
    async (_, put, i) => {
      const uid = node.shown("first-node-a")?.metadata.uid;
      // Sorted before all others, and between them.
      put(join(node.manifests, `a-${i}.yaml`));
      put(join(node.manifests, `m-${i}.json`));
      const name = `after-${i}`;
      writeFileSync(join(node.manifests, `z-${i}.json`), good(name));
      await node.until(`pod ${name} to run`, () => node.shown(`${name}-node-a`)?.status?.phase === "Running", 60_000);
      expect(node.shown("first-node-a")).toMatchObject({ metadata: { uid }, status: { phase: "Running" } });
      expect(node.agent.running).toBe(true);
      expect(residentBytes(node.agent.pid)).toBeLessThan(MOST_MEMORY);
      for (const file of [`a-${i}.yaml`, `m-${i}.json`, `z-${i}.json`])
        rmSync(join(node.manifests, file), { recursive: true });
    },
  );

  test("is reported in the log with reasons, without any content of files of the host, and the node stays healthy", async () => {
    const log = readFileSync(node.agent.logFile, "utf8");
    const secrets = readFileSync("/etc/shadow", "utf8")
      .split("\n")
      .filter((line) => line.length > 8);
    for (const line of secrets) expect(log).not.toContain(line);
    expect(log).toContain("A static pod cannot be read");
    expect(node.condition("Ready")).toBe("True");
    expect(JSON.stringify(node.events())).not.toContain(secrets[0]);
    // Nothing was restarted by it all.
    expect(node.shown("first-node-a")?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });
});
