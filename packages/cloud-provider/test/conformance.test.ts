import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { node, service } from "@orchernetes/testkit";
import { afterAll, describe, expect, test } from "vitest";
import { type ServedProvider, serveCloudProvider } from "../src/grpc-server/index.ts";
import { findProvider } from "../src/manager/find-provider.ts";
import { grpcProvider } from "../src/providers/grpc/grpc-provider.ts";
import { localProvider } from "../src/providers/local/local-provider.ts";
import { cloudConformance, FakeCloud } from "../src/testing/index.ts";

const dir = mkdtempSync(join(tmpdir(), "cloud-conformance-"));
const stop = new AbortController();
const ends: (() => void)[] = [];
afterAll(() => {
  stop.abort();
  for (const end of ends) end();
  rmSync(dir, { recursive: true, force: true });
});

const internal = (address: string): core.NodeAddress => ({ type: "InternalIP", address });
const nodes = ["a", "b"].map((name, i) =>
  node(name)
    .uid(name)
    .status({ addresses: [internal(`10.0.0.${i + 1}`)] })
    .build(),
);
const web = service("web")
  .uid("0000-1")
  .spec({ type: "LoadBalancer", ipFamilies: ["IPv4"] })
  .port(80)
  .build();
const options = (config?: string) => ({
  client: undefined as never,
  config,
  logger: silentLogger,
  clock: systemClock,
  signal: stop.signal,
});

const fake = () => new FakeCloud().addMachine("a").addMachine("b", { zone: "z", addresses: [internal("10.0.0.2")] });
const socket = `unix://${dir}/cloud.sock`;
const served: ServedProvider = await serveCloudProvider(fake(), { endpoint: socket });
ends.push(served.stop);
const overGrpc = await grpcProvider.create(options(`endpoint: ${socket}`));
ends.push(() => void overGrpc.close?.());

mkdirSync(join(dir, "module"));
const modulePath = join(dir, "module", "provider.ts");
const source = join(import.meta.dirname, "../src/testing/fake-cloud.ts");
writeFileSync(
  modulePath,
  `import { FakeCloud } from ${JSON.stringify(source)};
export default { create: () => new FakeCloud().addMachine("a").addMachine("b") };
`,
);
const found = await findProvider({}, modulePath);
if ("error" in found) throw new Error(found.error);
const fromModule = await found.module.create(options());

const gone = node("gone").build();
describe.each([
  ["local", { provider: await localProvider.create(options()) }],
  ["grpc", { provider: overGrpc, goneNode: gone }],
  ["a module", { provider: fromModule, goneNode: gone }],
])("%s", (_, of) => {
  for (const { name, run } of cloudConformance({ nodes, service: web, ...of })) test(name, run);
});

test("a provider that breaks a rule fails its case", async () => {
  const provider = fake();
  provider.misbehave = (operation) =>
    operation === "loadBalancers.ensureDeleted" ? { type: "lie", answer: { ok: true, value: undefined } } : undefined;
  const failures: string[] = [];
  for (const { name, run } of cloudConformance({ provider, nodes, service: web })) {
    await run().catch(() => failures.push(name));
  }
  expect(failures).toEqual(["it can be deleted twice, and is gone"]);
});
