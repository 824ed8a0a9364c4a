import type { coordination } from "@orchernetes/api";
import { notFound } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import { FakeClock, type Timer } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { identityLeaseHooks, identityOf } from "./identity-lease.ts";

type Lease = coordination.Lease;
const nowMs = Date.parse("2023-06-01T12:00:00.250Z");
const agoOf = (ms: number) => new Date(nowMs - ms).toISOString().replace("Z", "000Z");

function setup(stored: readonly Lease[]) {
  const leases = new Map(stored.map((lease) => [lease.metadata.name ?? "", lease]));
  const delays: number[] = [];
  const clock = new (class extends FakeClock {
    override setTimeout(callback: () => void, ms: number): Timer {
      delays.push(ms);
      return super.setTimeout(callback, ms);
    }
  })(new Date(nowMs));
  const store = {
    async update({ name }: { name: string }, change: (draft: Lease) => void) {
      const lease = leases.get(name);
      if (lease === undefined) throw notFound({ group: "coordination.o8s.io", plural: "leases" }, name);
      const draft = structuredClone(lease);
      change(draft);
      leases.set(name, draft);
    },
    create: async (lease: Lease) => void leases.set(lease.metadata.name ?? "", lease),
    list: async () => ({ items: [...leases.values()], resourceVersion: "1" }),
    delete: async ({ name }: { name: string }) => void leases.delete(name),
  };
  const registry = { forDefinition: () => store } as unknown as Registry;
  const end = new AbortController();
  const context = { registry, signal: end.signal, logger: { error() {} } };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const [renewal, collection] = identityLeaseHooks({ hostname: "host", clock });
  const run = async (hook: typeof renewal) => {
    await hook?.run(context);
    await settle();
  };
  return {
    leases,
    delays,
    end,
    waiting: () => clock.waiting > 0,
    renew: () => run(renewal),
    collect: () => run(collection),
  };
}

test("the name is of the host", () => {
  expect(identityOf("host")).toBe(identityOf("host"));
  expect(identityOf("host")).toMatch(/^apiserver-[a-z2-7]{26}$/);
  expect(identityOf("other")).not.toBe(identityOf("host"));
});

test("a server makes its lease, and renews it every ten seconds until it stops", async () => {
  const { leases, renew, delays, end, waiting } = setup([]);
  await renew();
  const lease = leases.get(identityOf("host"));
  expect(lease).toEqual({
    metadata: {
      namespace: "orch-system",
      name: identityOf("host"),
      labels: { "apiserver.orchernetes.io/identity": "orch-apiserver", "orchernetes.io/hostname": "host" },
    },
    spec: {
      holderIdentity: expect.stringContaining(`${identityOf("host")}_`),
      leaseDurationSeconds: 3600,
      renewTime: "2023-06-01T12:00:00.250000Z",
    },
  });
  expect([delays, waiting()]).toEqual([[10_000], true]);
  end.abort();
  expect(waiting()).toBe(false);
});

test("an earlier server's lease of the same host is taken over", async () => {
  const name = identityOf("host");
  const { leases, renew } = setup([
    { metadata: { name, labels: { own: "label" } }, spec: { holderIdentity: "old", renewTime: agoOf(99_000) } },
  ]);
  await renew();
  expect(leases.get(name)?.metadata.labels).toMatchObject({ own: "label", "orchernetes.io/hostname": "host" });
  expect(leases.get(name)?.spec.renewTime).toBe("2023-06-01T12:00:00.250000Z");
});

test.each([
  ["renewed a moment ago", { renewTime: agoOf(1000), leaseDurationSeconds: 3600 }, true],
  ["renewed nearly an hour ago", { renewTime: agoOf(3_599_000), leaseDurationSeconds: 3600 }, true],
  ["renewed an hour ago", { renewTime: agoOf(3_600_001), leaseDurationSeconds: 3600 }, false],
  ["never renewed", { leaseDurationSeconds: 3600 }, false],
  ["without duration", { renewTime: agoOf(1000) }, false],
])("a lease %s", async (_, spec, stays) => {
  const { leases, collect, delays } = setup([{ metadata: { name: "orch-apiserver-x" }, spec }]);
  await collect();
  expect(leases.has("orch-apiserver-x")).toBe(stays);
  expect(delays).toEqual([3_600_000]);
});
