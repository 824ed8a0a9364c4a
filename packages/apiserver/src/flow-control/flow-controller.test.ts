import type { UserInfo } from "@orchernetes/auth";
import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { parseRequestInfo } from "../http/request-info.ts";
import type { FlowControlConfiguration, PriorityLevelConfiguration } from "./configuration.ts";
import { dumpPriorityLevels, dumpQueues, dumpRequests } from "./dump.ts";
import { FlowController, type Leave, seatLimits } from "./flow-controller.ts";
import { dealHand } from "./priority-level.ts";

const user = (name: string, ...groups: string[]): UserInfo => ({
  name,
  groups: [...groups, "system:authenticated"],
  extra: {},
});

const everything = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const group = (name: string) => ({ kind: "Group", group: { name } });
const schema = (name: string, level: string, matchingPrecedence: number, rules: object[], type = "ByUser") => ({
  name,
  uid: `${name}-uid`,
  spec: {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    distinguisherMethod: { type },
    rules: rules as never,
  },
});
const level = (name: string, shares: number, queues: number, extra: object = {}): PriorityLevelConfiguration => ({
  name,
  uid: `${name}-uid`,
  spec: {
    type: "Limited",
    limited: {
      nominalConcurrencyShares: shares,
      limitResponse:
        queues === 0
          ? { type: "Reject" }
          : { type: "Queue", queuing: { queues, handSize: Math.min(2, queues), queueLengthLimit: 2 } },
      ...extra,
    },
  },
});
const exempt: PriorityLevelConfiguration = { name: "exempt", uid: "exempt-uid", spec: { type: "Exempt" } };

const base: FlowControlConfiguration = {
  priorityLevels: [
    exempt,
    level("catch-all", 1, 0, { borrowingLimitPercent: 0 }),
    level("work", 1, 8, { borrowingLimitPercent: 0 }),
  ],
  flowSchemas: [
    schema("catch-all", "catch-all", 10_000, [{ subjects: [group("system:authenticated")], ...everything }]),
    schema("exempt", "exempt", 1, [{ subjects: [group("system:masters")], ...everything }]),
    schema("pods", "work", 500, [
      {
        subjects: [
          { kind: "User", user: { name: "ann" } },
          { kind: "ServiceAccount", serviceAccount: { namespace: "apps", name: "*" } },
        ],
        resourceRules: [
          { verbs: ["get", "list"], apiGroups: [""], resources: ["pods", "pods/log"], namespaces: ["default", "apps"] },
        ],
        nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/own/*"] }],
      },
    ]),
  ],
};

function controller(seats = 4, configuration = base) {
  const clock = new FakeClock();
  const flow = new FlowController({ seats, waitMs: 1000, clock, configuration });
  const pods = parseRequestInfo("GET", "/api/v1/namespaces/default/pods");
  const enter = (who: UserInfo, wanted = 1, end = new AbortController()) =>
    flow.enter(flow.classify(pods, who), pods, who, wanted, () => end.signal);
  return { flow, clock, enter };
}

test.each([
  ["ann", [], "GET", "/api/v1/namespaces/default/pods", "pods"],
  ["ann", [], "GET", "/api/v1/namespaces/default/pods/a/log", "pods"],
  ["ann", [], "GET", "/api/v1/namespaces/default/pods/a/status", "catch-all"],
  ["ann", [], "DELETE", "/api/v1/namespaces/default/pods/a", "catch-all"],
  ["ann", [], "GET", "/api/v1/namespaces/other/pods", "catch-all"],
  ["ann", [], "GET", "/api/v1/pods", "catch-all"],
  ["ann", [], "GET", "/own/a", "pods"],
  ["ann", [], "GET", "/owned", "catch-all"],
  ["ann", ["system:masters"], "GET", "/api/v1/namespaces/default/pods", "exempt"],
  ["bob", [], "GET", "/api/v1/namespaces/default/pods", "catch-all"],
  ["system:serviceaccount:apps:x", [], "GET", "/api/v1/namespaces/apps/pods", "pods"],
  ["system:serviceaccount:other:x", [], "GET", "/api/v1/namespaces/apps/pods", "catch-all"],
])("%s %j %s %s is of %s", (name, groups, method, path, want) => {
  const { flow } = controller();
  const who = user(name, ...groups);
  const info = parseRequestInfo(method, path);
  for (let i = 0; i < 2; i++) expect(flow.classify(info, who).schema.name).toBe(want);
});

test("seats are divided by shares, and lent and borrowed in per cent of them", () => {
  const levels = [exempt, level("a", 30, 0), level("b", 10, 0, { lendablePercent: 50, borrowingLimitPercent: 25 })];
  expect(Object.fromEntries(seatLimits(levels, 400))).toEqual({
    a: { nominal: 300, least: 300, most: 400 },
    b: { nominal: 100, least: 50, most: 125 },
  });
});

test("a flow always gets the same hand of distinct queues, and flows get different hands", () => {
  const hands = Array.from({ length: 50 }, (_, i) => dealHand(`flow-${i}`, 64, 6));
  expect(dealHand("flow-7", 64, 6)).toEqual(hands[7]);
  for (const hand of hands) expect(new Set(hand).size).toBe(6);
  expect(new Set(hands.map((hand) => hand.toSorted().join())).size).toBe(50);
  expect(hands.flat().every((index) => index >= 0 && index < 64)).toBe(true);
  expect(dealHand("x", 2, 6).toSorted()).toEqual([0, 1]);
});

test("when all seats are taken requests wait, and each that ends lets the next one execute", async () => {
  const { enter, flow } = controller(4);
  const ann = user("ann");
  const [first, second] = [enter(ann), enter(ann)] as Leave[];
  expect([typeof first, typeof second]).toEqual(["function", "function"]);
  const third = enter(ann);
  expect(third).toBeInstanceOf(Promise);
  expect(dumpPriorityLevels(flow)).toContain("work, 1, false, false, 1, 2\n");
  expect(dumpQueues(flow).split("\n")).toHaveLength(3);
  expect(dumpRequests(flow)).toContain("work, pods, ");
  first?.();
  first?.();
  const leave = await third;
  second?.();
  leave();
  expect(dumpPriorityLevels(flow)).toContain("work, 0, true, false, 0, 0\n");
});

test("a level without queues, a full queue and a wait that is too long give 429", async () => {
  const { enter, clock } = controller(2);
  enter(user("bob"));
  const refused = { status: { code: 429, reason: "TooManyRequests" } };
  await expect(enter(user("bob"))).rejects.toMatchObject(refused);
  enter(user("ann"));
  // Two queues of two.
  const waiting = Array.from({ length: 4 }, () => enter(user("ann")) as Promise<Leave>);
  await expect(enter(user("ann"))).rejects.toMatchObject(refused);
  clock.advance(1000);
  for (const one of await Promise.allSettled(waiting))
    expect(one).toMatchObject({ status: "rejected", reason: refused });
});

test("a disconnected client loses its place in the queue", async () => {
  const { enter, flow } = controller(2);
  const held = enter(user("ann")) as Leave;
  const end = new AbortController();
  const gone = enter(user("ann"), 1, end);
  end.abort();
  await expect(gone).rejects.toMatchObject({ status: { code: 429 } });
  held();
  expect(dumpPriorityLevels(flow)).toContain("work, 0, true, false, 0, 0\n");
});

test("a request of another flow does not wait behind all requests of a busy flow", async () => {
  const { enter } = controller(2);
  const order: string[] = [];
  const held = enter(user("ann")) as Leave;
  const many = (who: string, count: number) =>
    Array.from({ length: count }, async () => {
      const leave = await enter(user(who));
      order.push(who);
      setImmediate(leave);
    });
  const all = [...many("ann", 4), ...many("system:serviceaccount:apps:x", 1)].map((one) => one.catch(() => {}));
  held();
  await Promise.all(all);
  expect(order.indexOf("system:serviceaccount:apps:x")).toBeLessThan(3);
});

test("idle seats are lent to other levels, except those that a level keeps", () => {
  const configuration = {
    ...base,
    priorityLevels: [exempt, level("catch-all", 1, 0, { lendablePercent: 50 }), level("work", 1, 8)],
  };
  const { enter } = controller(8, configuration);
  const entered = Array.from({ length: 7 }, () => enter(user("ann")));
  expect(entered.filter((one) => typeof one === "function")).toHaveLength(6);
  for (const one of entered) if (one instanceof Promise) one.catch(() => {});
  expect(typeof enter(user("bob"))).toBe("function");
});

test("a request for more seats than exist executes alone, and the exempt level has no limit", () => {
  const { enter } = controller(2);
  expect(typeof enter(user("ann"), 10)).toBe("function");
  expect(enter(user("ann"))).toBeInstanceOf(Promise);
  for (let i = 0; i < 20; i++) expect(typeof enter(user("root", "system:masters"))).toBe("function");
});

test("requests that wait finish in their level when the configuration changes", async () => {
  const { enter, flow } = controller(2);
  const held = enter(user("ann")) as Leave;
  const waiting = enter(user("ann")) as Promise<Leave>;
  flow.configure({ ...base, priorityLevels: [exempt, level("catch-all", 1, 0), level("work", 3, 4)] });
  held();
  (await waiting)();
  expect(dumpPriorityLevels(flow)).toContain("work, 0, true, false, 0, 0\n");
});
