import type { core, networking } from "@orchernetes/api";
import { expect, test } from "vitest";
import { fullBatchInSteps, renderDifferenceInSteps } from "../nft/batch.ts";
import { defaultNamespaceLimits } from "./compile/policy-limits.ts";
import { PolicyTable } from "./policy-table.ts";
import { CurrentPolicyTable } from "./testing/current-policy-table.ts";
import { forwards } from "./testing/interpret-table.ts";

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const addressOf = (i: number) => `10.1.${i >> 8}.${i & 0xff}`;

function pod(name: string, ip: string, labels: Record<string, string>, namespace = "demo"): core.Pod {
  return {
    metadata: { name, namespace, labels },
    spec: { nodeName: labels.app === "web" ? "n1" : "n2", containers: [] },
    status: { phase: "Running", podIPs: [{ ip }] },
  };
}

/** A policy that lets clients into pods `app=web`, created in the given second. */
function policy(
  name: string,
  second: number,
  ingress: networking.NetworkPolicyIngressRule[],
  namespace = "demo",
): networking.NetworkPolicy {
  const creationTimestamp = `2024-01-01T00:00:${String(second).padStart(2, "0")}Z`;
  return {
    metadata: { name, namespace, creationTimestamp },
    spec: { podSelector: { matchLabels: { app: "web" } }, ingress },
    status: {},
  };
}

const rule = (client: string, port: number): networking.NetworkPolicyIngressRule => ({
  from: [{ podSelector: { matchLabels: { app: client } } }],
  ports: [{ port }],
});

function tableOf(options: { readonly rules?: number; readonly addresses?: number }) {
  const { rules = 1_000, addresses = 1_000_000 } = options;
  const { policies } = defaultNamespaceLimits;
  const namespaceLimits = { policies: { ...policies, "rules with peers": rules }, addresses };
  const table = new CurrentPolicyTable({ nodeName: "n1", tableName: "policy", namespaceLimits });
  table.setPod("demo/web", pod("web", "10.0.0.2", { app: "web" }));
  table.setPod("other/web", pod("web", "10.0.0.3", { app: "web" }, "other"));
  table.setPod("demo/client", pod("client", "10.0.0.9", { app: "client" }));
  table.setPod("other/client", pod("client", "10.0.0.10", { app: "client" }, "other"));
  const set = (built: networking.NetworkPolicy) =>
    table.setPolicy(`${built.metadata.namespace}/${built.metadata.name}`, built);
  /** Which of the ports 81, 82, … a client reaches. */
  const open = (from = "10.0.0.9", to = "10.0.0.2") => {
    const made = table.table();
    return many(9, (i) => 81 + i).filter((port) => forwards(made, { from, to, protocol: "TCP", port }));
  };
  return { table, set, open };
}

test("the oldest policies of a namespace hold up to its limits, the others isolate and allow nothing", () => {
  const { table, set, open } = tableOf({ rules: 4 });
  set(policy("c", 3, [rule("client", 83), rule("client", 84)]));
  set(policy("b", 2, [rule("client", 82)]));
  set(policy("a", 1, [rule("client", 81), rule("none", 81)]));
  set(policy("d", 4, [rule("client", 85)]));
  expect(open()).toEqual([81, 82, 85]);
  expect([...table.unenforced]).toEqual([
    ["demo/c", "together with older policies of its namespace: 5 rules with peers, at most 4"],
  ]);
  expect(table.tooLargePolicies).toBe(1);
  set(policy("c", 3, [rule("client", 83)], "other"));
  expect(open("10.0.0.10", "10.0.0.3")).toEqual([83]);
});

test("a policy that does not fit is judged again when it or another one changes", () => {
  const { table, set, open } = tableOf({ rules: 2 });
  set(policy("a", 1, [rule("client", 81), rule("none", 81)]));
  set(policy("b", 2, [rule("client", 82)]));
  expect(open()).toEqual([81]);
  // Still too large; then small enough.
  set(policy("b", 2, [rule("client", 83), rule("client", 84)]));
  expect(open()).toEqual([81]);
  set(policy("b", 2, [{ ports: [{ port: 82 }] }]));
  expect(open()).toEqual([81, 82]);
  // An older one grows: it takes the place of younger ones.
  set(policy("b", 2, [rule("client", 82)]));
  set(policy("a", 1, [rule("client", 81)]));
  expect(open()).toEqual([81, 82]);
  set(policy("a", 1, [rule("client", 81), rule("client", 85)]));
  expect(open()).toEqual([81, 85]);
  // Created again with the same rules, it is the youngest.
  set(policy("a", 3, [rule("client", 81), rule("client", 85)]));
  expect(open()).toEqual([82]);
  table.setPolicy("demo/b", undefined);
  expect(open()).toEqual([81, 85]);
  table.setPolicy("demo/a", undefined);
  expect(table.unenforced.size).toBe(0);
  expect(open()).toHaveLength(9);
});

test("policies that select no pod of the node take nothing away from those that do", () => {
  const { set, open } = tableOf({ rules: 1 });
  const elsewhere = policy("a", 1, [rule("client", 81)]);
  set({ ...elsewhere, spec: { ...elsewhere.spec, podSelector: { matchLabels: { app: "none" } } } });
  set(policy("b", 2, [rule("client", 82)]));
  expect(open()).toEqual([82]);
});

test("policies with more addresses of pods than fit allow nothing until there are fewer", () => {
  const { table, set, open } = tableOf({ addresses: 10 });
  const setClients = (count: number) => {
    for (let i = 0; i < 20; i++)
      table.setPod(`demo/c${i}`, i < count ? pod(`c${i}`, addressOf(i), { app: "client", part: "x" }) : undefined);
  };
  const either = (port: number) => ({
    from: [
      { podSelector: { matchExpressions: [{ key: "app", operator: "In" as const, values: ["client", `${port}`] }] } },
    ],
    ports: [{ port }],
  });
  set(policy("a", 1, [either(81)]));
  set(policy("b", 2, [either(82)]));
  set(policy("c", 3, [either(81)]));
  expect(open()).toEqual([81, 82]);
  // Each of the two sets has six addresses.
  setClients(5);
  expect(open()).toEqual([81]);
  expect([...table.unenforced]).toEqual([
    ["demo/b", "together with older policies of its namespace: more than 10 addresses of pods"],
  ]);
  setClients(12);
  expect(open()).toEqual([]);
  expect(table.table().sets.filter(({ name }) => name.startsWith("peers"))).toEqual([]);
  setClients(9);
  expect(open()).toEqual([81]);
  setClients(4);
  expect(open()).toEqual([81, 82]);
});

test("many large policies of one namespace keep nobody waiting", () => {
  const table = new PolicyTable({ nodeName: "n1", tableName: "policy" });
  table.setPod("demo/web", pod("web", "10.0.0.2", { app: "web" }));
  for (let i = 0; i < 2_000; i++)
    table.setPod(`demo/p${i}`, pod(`p${i}`, addressOf(i), { app: `a${i % 50}`, n: `${i}` }));
  for (let n = 0; n < 20; n++) {
    const rules = many(250, (i) => rule(`a${i % 50}`, 1 + 250 * n + i));
    const selected = rules.map((one, i) => ({
      ...one,
      from: [{ podSelector: { matchExpressions: [{ key: "n", operator: "NotIn" as const, values: [`${n}-${i}`] }] } }],
    }));
    table.setPolicy(`demo/p${n}`, policy(`p${n}`, n, n % 2 === 0 ? rules : selected.slice(0, 49)));
  }
  let longestMs = 0;
  let total = 0;
  const run = <T>(steps: Generator<undefined, T, boolean>): T => {
    for (;;) {
      const startMs = performance.now();
      const step = steps.next(false);
      const ms = performance.now() - startMs;
      longestMs = Math.max(longestMs, ms);
      total += ms;
      if (step.done === true) return step.value;
    }
  };
  run(table.refresh());
  run(renderDifferenceInSteps(run(table.takeDifference())));
  run(fullBatchInSteps(table.table()));
  expect(table.unenforced.size).toBeGreaterThan(0);
  // A step takes less than a millisecond; the machine may be busy.
  expect(longestMs).toBeLessThan(250);
  expect(total).toBeLessThan(10_000);
});
