import { FakeClock } from "@orchernetes/kernel";
import { node, service } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { FakeCloud, type Misbehaviour } from "../testing/fake-cloud.ts";
import type { CallContext } from "./cloud-provider.ts";
import { type EndedCall, guardProvider } from "./guard-provider.ts";

const clock = new FakeClock("2024-01-01T00:00:00Z");
const web = service("web").build();
const stop = new AbortController();
const within = (ms: number, signal = stop.signal): CallContext => ({
  signal,
  deadlineMs: clock.nowMs() + ms,
  clusterName: "c",
});

function guarded(bad?: Misbehaviour) {
  const cloud = new FakeCloud().addMachine("a");
  cloud.misbehave = () => bad;
  const ended: EndedCall[] = [];
  const { loadBalancers, instances, routes, zones, clusters } = guardProvider(cloud, {
    clock,
    onEnd: (call) => ended.push(call),
  });
  if (loadBalancers === undefined || instances === undefined || routes === undefined)
    throw new Error("parts are missing");
  return { cloud, ended, loadBalancers, instances, routes, zones, clusters };
}
const a = node("a").build();

test("answers of the right form pass, and calls are told", async () => {
  const { loadBalancers, instances, zones, clusters, ended } = guarded();
  expect(await instances.exists(a, within(10))).toEqual({ ok: true, value: true });
  expect(await instances.metadata(a, within(10))).toMatchObject({ ok: true, value: { providerID: "fake://a" } });
  expect(await loadBalancers.ensure(web, [a], within(10))).toEqual({
    ok: true,
    value: { ingress: [{ ip: "192.0.2.10" }] },
  });
  expect(await zones?.ofNode(a, within(10))).toMatchObject({ ok: true });
  expect(await clusters?.list(within(10))).toEqual({ ok: true, value: ["c"] });
  expect(ended.map(({ operation, code }) => `${operation} ${code}`)).toEqual([
    "instances.exists OK",
    "instances.metadata OK",
    "loadBalancers.ensure OK",
    "zones.ofNode OK",
    "clusters.list OK",
  ]);
});

test("a part that is missing stays missing", () => {
  expect(guardProvider({ name: "empty" })).toMatchObject({
    instances: undefined,
    loadBalancers: undefined,
    routes: undefined,
  });
});

test("a call that does not end gets an error at its deadline, and its signal aborts", async () => {
  const { instances } = guarded({ type: "hang" });
  const answer = instances.exists(a, within(5000));
  clock.advance(5000);
  expect(await answer).toEqual({ ok: false, error: { code: "DeadlineExceeded", message: "no answer within 5000 ms" } });
});

test("a call whose caller stops ends, and later calls are not made", async () => {
  const { instances, cloud } = guarded({ type: "hang" });
  const own = new AbortController();
  const answer = instances.exists(a, within(5000, own.signal));
  own.abort();
  expect(await answer).toMatchObject({ error: { code: "Canceled" } });
  expect(await instances.exists(a, within(5000, own.signal))).toMatchObject({ error: { code: "Canceled" } });
  expect(await instances.exists(a, within(0))).toMatchObject({ error: { code: "DeadlineExceeded" } });
  expect(cloud.calls).toHaveLength(1);
});

test("a provider that rejects after its deadline does no harm", async () => {
  const late = Promise.withResolvers<never>();
  const { instances } = guardProvider(
    {
      name: "late",
      instances: { exists: () => late.promise, isShutDown: () => late.promise, metadata: () => late.promise },
    },
    { clock },
  );
  const answer = instances?.exists(a, within(10));
  clock.advance(10);
  expect(await answer).toMatchObject({ error: { code: "DeadlineExceeded" } });
  late.reject(new Error("too late"));
  await new Promise((resolve) => setImmediate(resolve));
});

test.each<[string, unknown, string]>([
  ["an Error", new Error("boom"), "boom"],
  ["a text", "boom", "boom"],
])("%s that is thrown becomes an error", async (_, error, message) => {
  const { instances } = guarded({ type: "throw", error });
  expect(await instances.exists(a, within(10))).toEqual({ ok: false, error: { code: "Internal", message } });
});

test("errors of unknown codes and without texts count as internal ones; long texts are cut", async () => {
  const lie = async (error: unknown) => {
    const { instances } = guarded({ type: "lie", answer: { ok: false, error } });
    const result = await instances.exists(a, within(10));
    return result.ok ? undefined : result.error;
  };
  expect(await lie({ code: "Odd", message: "m" })).toEqual({ code: "Internal", message: "m" });
  expect(await lie(undefined)).toEqual({ code: "Internal", message: "unknown error" });
  expect((await lie({ code: "NotFound", message: "x".repeat(100_000) }))?.message).toHaveLength(1024);
});

const metadata = { providerID: "x", instanceType: "", zone: "", region: "", addresses: [] };
const route = {
  name: "r",
  targetNode: "",
  targetNodeAddresses: [],
  enableNodeAddresses: false,
  destinationCIDR: "",
  blackhole: false,
};

test.each<[string, unknown, string]>([
  ["exists", undefined, "the provider's answer is no result"],
  ["exists", null, "the provider's answer is no result"],
  ["exists", { ok: true, value: "yes" }, 'found "yes", want true or false'],
  ["metadata", { ok: true, value: [] }, "found [], want metadata"],
  ["metadata", { ok: true, value: { ...metadata, providerID: "x".repeat(2000) } }, "providerID: found"],
  ["metadata", { ok: true, value: { ...metadata, zone: "not a label" } }, 'zone: found "not a label"'],
  [
    "metadata",
    { ok: true, value: { ...metadata, addresses: [{ type: "InternalIP", address: "a" }] } },
    "want an IP address",
  ],
  [
    "metadata",
    { ok: true, value: { ...metadata, addresses: [{ type: "Planet", address: "a" }] } },
    "want a type of address",
  ],
  [
    "metadata",
    { ok: true, value: { ...metadata, addresses: Array(101).fill({ type: "Hostname", address: "a" }) } },
    "at most 100",
  ],
  ["ensure", { ok: true, value: undefined }, "want a status"],
  ["ensure", { ok: true, value: { ingress: [{}] } }, "without ip and hostname"],
  ["ensure", { ok: true, value: { ingress: [{ ip: "300.0.0.1" }] } }, 'ip: found "300.0.0.1"'],
  ["ensure", { ok: true, value: { ingress: [{ hostname: "a b" }] } }, 'hostname: found "a b"'],
  ["ensure", { ok: true, value: { ingress: Array(257).fill({ ip: "192.0.2.1" }) } }, "at most 256"],
  ...["127.0.0.1", "0.0.0.0", "169.254.1.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "ff02::1"].map(
    (ip): [string, unknown, string] => ["ensure", { ok: true, value: { ingress: [{ ip }] } }, `ip: found "${ip}", a `],
  ),
  ["update", { ok: true, value: { ingress: [{ ip: "::ffff:127.0.0.1" }] } }, "a loopback address"],
  ["name", { ok: true, value: "" }, "want a text of 1 to 1024 characters"],
  ["list", { ok: true, value: "none" }, "want a list"],
  ["list", { ok: true, value: [{ ...route, name: 1 }] }, "name: found 1, want a text"],
  ["list", { ok: true, value: [{ ...route, blackhole: "no" }] }, 'blackhole: found "no"'],
])("an answer to %s like %j is none", async (operation, answer, message) => {
  const { instances, loadBalancers, routes } = guarded({ type: "lie", answer });
  const call = {
    exists: () => instances.exists(a, within(10)),
    metadata: () => instances.metadata(a, within(10)),
    ensure: () => loadBalancers.ensure(web, [], within(10)),
    update: () => loadBalancers.update(web, [], within(10)),
    name: () => loadBalancers.name(web, within(10)),
    list: () => routes.list(within(10)),
  }[operation];
  const result = await call?.();
  expect(result).toMatchObject({ ok: false, error: { code: "InvalidAnswer" } });
  expect(result?.ok === false && result.error.message).toContain(message);
});

test("a loopback address is accepted only if all nodes are on one machine", async () => {
  const at = (name: string, address: string) =>
    node(name)
      .status({ addresses: [{ type: "InternalIP", address }] })
      .build();
  const { loadBalancers } = guarded({ type: "lie", answer: { ok: true, value: { ingress: [{ ip: "127.0.0.1" }] } } });
  const all = [at("a", "127.0.0.1"), at("b", "127.0.0.2")];
  expect(await loadBalancers.ensure(web, all, within(10))).toMatchObject({ ok: true });
  expect(await loadBalancers.ensure(web, [...all, at("c", "192.0.2.1")], within(10))).toMatchObject({ ok: false });
  // What is there already must be removable.
  expect(await loadBalancers.get(web, within(10))).toMatchObject({ ok: true });
});
