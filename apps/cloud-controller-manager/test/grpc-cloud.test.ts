import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import {
  freePort,
  node,
  poll,
  type RunningDaemon,
  service,
  startApiServer,
  startDaemon,
  type TestApiServer,
} from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

const dir = mkdtempSync(join(tmpdir(), "grpc-cloud-"));
const socket = `unix://${dir}/cloud.sock`;
const example = join(import.meta.dirname, "../../../docs/examples/cloud-provider/provider.ts");
let server: TestApiServer;
let manager: RunningDaemon;
let cloud: ReturnType<typeof spawn>;
let admin: Client;

/** Runs the example of the documentation; resolves when it listens. */
async function startExample(): Promise<void> {
  cloud = spawn(process.execPath, [example, socket], { stdio: ["ignore", "pipe", "inherit"] });
  if (cloud.stdout !== null) await once(cloud.stdout, "data");
}

beforeAll(async () => {
  server = await startApiServer({ flags: ["--disable-admission-plugins=ServiceAccount"] });
  admin = server.client();
  const config = join(dir, "cloud.yaml");
  writeFileSync(config, `endpoint: ${socket}\n`);
  manager = await startDaemon({
    name: "cloud-controller-manager",
    flags: [
      `--orchconfig=${server.clientConfig}`,
      "--cloud-provider=grpc",
      `--cloud-config=${config}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${await freePort()}`,
      "--leader-elect=false",
    ],
    dir,
  });
  // Later than the manager, which waits for it.
  await startExample();
}, 90_000);
afterAll(async () => {
  cloud?.kill("SIGKILL");
  await manager?.stop();
  await server?.stop();
  rmSync(dir, { recursive: true });
});

async function addressOf(name: string): Promise<string> {
  const services = admin.resource(core.services).namespace("default");
  const { metadata, spec } = service(name).spec({ type: "LoadBalancer" }).port(80).build();
  await services.create({ metadata: { name: metadata.name }, spec } as never);
  return poll({ what: `an address of ${name}`, timeoutMs: 40_000 }, async () => {
    const { status } = await services.get(name);
    return status?.loadBalancer?.ingress?.[0]?.ip;
  });
}

test("the example gives nodes their zones and services their addresses, also after it was killed and started again", async () => {
  const nodes = admin.resource(core.nodes);
  const { metadata, spec, status } = node("node-1")
    .taint("node.cloudprovider.orchernetes.io/uninitialized", "NoSchedule", "true")
    .build();
  await nodes.create({ metadata: { name: metadata.name }, spec, status } as never);
  const found = await poll({ what: "the node to be initialized", timeoutMs: 40_000 }, async () => {
    const now = await nodes.get("node-1");
    return now.spec?.providerID === undefined ? undefined : now;
  });
  expect(found.spec?.providerID).toBe("example://m-1");
  expect(found.metadata.labels).toMatchObject({ "topology.orchernetes.io/zone": "zone-a" });
  expect(await addressOf("first")).toBe("192.0.2.10");
  const ended = once(cloud, "exit");
  cloud.kill("SIGKILL");
  await ended;
  const second = addressOf("second");
  await poll({ what: "a failed call", timeoutMs: 20_000 }, () =>
    manager.log().includes("failed to ensure load balancer"),
  );
  await startExample();
  expect(await second).toMatch(/^192\.0\.2\.1[01]$/);
}, 120_000);
