import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { core } from "@orchernetes/api";
import {
  type DaemonName,
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

const dir = mkdtempSync(join(tmpdir(), "cloud-migration-"));
const running: RunningDaemon[] = [];
let server: TestApiServer;

/** Starts a manager that may run the controllers of the cloud, by the default migration. */
async function startManager(name: DaemonName, ...flags: readonly string[]): Promise<RunningDaemon> {
  const folder = join(dir, name);
  mkdirSync(folder);
  const manager = await startDaemon({
    name,
    flags: [
      `--orchconfig=${server.clientConfig}`,
      "--cloud-provider=local",
      "--enable-leader-migration",
      "--leader-elect-retry-period=200ms",
      "--bind-address=127.0.0.1",
      `--secure-port=${await freePort()}`,
      `--cert-dir=${folder}`,
      ...flags,
    ],
    dir: folder,
  });
  running.push(manager);
  return manager;
}

beforeAll(async () => {
  server = await startApiServer({ flags: ["--disable-admission-plugins=ServiceAccount"] });
  const { metadata, spec, status } = node("a")
    .spec({ providerID: "local://a" })
    .status({ addresses: [{ type: "InternalIP", address: "192.0.2.1" }] })
    .build();
  await server
    .client()
    .resource(core.nodes)
    .create({ metadata: { name: metadata.name }, spec, status } as never);
}, 60_000);
afterAll(async () => {
  await Promise.all(running.map((manager) => manager.stop()));
  await server?.stop();
  rmSync(dir, { recursive: true });
});

async function getsAddress(name: string, port: number): Promise<void> {
  const services = server.client().resource(core.services).namespace("default");
  const { metadata, spec } = service(name).spec({ type: "LoadBalancer" }).port(port).build();
  await services.create({ metadata: { name: metadata.name }, spec } as never);
  const ingress = await poll({ what: `an address of ${name}`, timeoutMs: 40_000 }, async () => {
    const { status } = await services.get(name);
    return status?.loadBalancer?.ingress;
  });
  expect(ingress).toEqual([{ ip: "192.0.2.1" }]);
}

const started = (manager: RunningDaemon): boolean => /Starting a controller controller="service"/.test(manager.log());

test("the controllers of the cloud move from one manager to the other, and run in one of them only", async () => {
  const first = await startManager("orch-controller-manager", "--controllers=service,podgc");
  await getsAddress("first", 80);
  const second = await startManager("cloud-controller-manager");
  // It leads its own controllers meanwhile.
  await poll({ what: "its own controllers", timeoutMs: 30_000 }, () =>
    second.log().includes('Starting a controller controller="cloud-node"'),
  );
  expect([started(first), started(second)]).toEqual([true, false]);
  await first.stop();
  await poll({ what: "the move", timeoutMs: 30_000 }, () => started(second));
  await getsAddress("second", 81);
}, 120_000);
