import type { core } from "@orchernetes/api";
import { silentLogger } from "@orchernetes/kernel";
import {
  freePort,
  node,
  type PodBuilder,
  pod,
  startWebhookServer,
  type WebhookRequest,
  type WebhookServer,
} from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NominatedPods } from "../cache/nominated-pods.ts";
import { podInfo } from "../cache/pod-info.ts";
import { CycleState } from "../framework/cycle-state.ts";
import { profileOf } from "../testing/profiles.ts";
import { tableOf } from "../testing/tables.ts";
import { createExtenders } from "./create-extenders.ts";
import { decideWithExtenders } from "./decide-with-extenders.ts";
import { extenderBinder } from "./extender-binder.ts";

let server: WebhookServer;
const stop = new AbortController();

beforeAll(async () => {
  server = await startWebhookServer({ behaviour: { type: "silent" } });
});
afterAll(async () => {
  stop.abort();
  await server.stop();
});

type Settings = Parameters<typeof createExtenders>[0][number];
const base64 = (text: string) => Buffer.from(text).toString("base64");

const settings = (given: Partial<Settings> = {}): Settings => ({
  urlPrefix: `${server.url}/scheduler/`,
  filterVerb: "",
  prioritizeVerb: "",
  preemptVerb: "",
  bindVerb: "",
  weight: 1,
  enableHTTPS: true,
  // The machine may be busy.
  httpTimeout: 10_000,
  nodeCacheCapable: true,
  managedResources: [],
  ignorable: false,
  tlsConfig: {
    insecure: false,
    serverName: "",
    certFile: "",
    keyFile: "",
    caFile: "",
    caData: base64(server.caPem),
    certData: undefined,
    keyData: undefined,
  },
  ...given,
});

const of = (name: string, cpu = "4") => node(name).capacity({ cpu, memory: "8Gi", pods: "10" });
const answer = (body: (request: WebhookRequest) => unknown) => server.behave({ type: "answer", body });

/** The decision about a pod with these extenders; `meanwhile` happens before it is made. */
async function decide(
  given: readonly Partial<Settings>[],
  wanting: PodBuilder = pod("p"),
  nodes = [of("a"), of("b"), of("c")],
  placed: PodBuilder[] = [],
  meanwhile: (table: ReturnType<typeof tableOf>) => void = () => undefined,
  nominatedNode = "",
) {
  const table = tableOf(nodes, placed);
  const extenders = createExtenders(given.map(settings), stop.signal);
  const cycle = { start: 0, random: () => 0.999, nominatedNode, nominations: new NominatedPods() };
  const make = await decideWithExtenders(podInfo(wanting.build()), table, profileOf(), cycle, {
    extenders,
    pod: async ({ pod: found }) => ({ ...found, metadata: { ...found.metadata, annotations: { whole: "yes" } } }),
    node: (name) => table.nodeAt(table.slotOf(name) ?? -1),
    logger: silentLogger,
    signal: stop.signal,
  });
  meanwhile(table);
  const decision = make();
  return decision.type === "node" ? table.nameOf(decision.slot) : decision;
}

test("an extender that caches nodes gets their names and the complete pod, and returns the names of the nodes that remain", async () => {
  answer(() => ({ nodenames: ["b"], failedNodes: { a: "no", c: "no" } }));
  const before = server.requests.length;
  expect(await decide([{ filterVerb: "filter" }])).toBe("b");
  const [request] = server.requests.slice(before);
  expect(request).toMatchObject({ method: "POST", path: "/scheduler/filter" });
  expect(request?.body).toMatchObject({
    Pod: { metadata: { name: "p", annotations: { whole: "yes" } } },
    NodeNames: expect.arrayContaining(["a", "b", "c"]),
  });
});

test.each<[string, (asked: readonly string[]) => unknown, readonly number[]]>([
  ["accepts, is chosen without a look at the others", () => ({ NodeNames: ["a"] }), [1]],
  ["rejects, leaves the others", (asked) => ({ NodeNames: asked.filter((name) => name === "b") }), [1, 3]],
  ["cannot judge, leaves the others", (asked) => (asked.length === 1 ? { Error: "no" } : { NodeNames: ["b"] }), [1, 3]],
])("a nominated node that an extender %s", async (_, judge, want) => {
  answer(({ body }) => judge((body as { NodeNames: string[] }).NodeNames));
  const before = server.requests.length;
  const chosen = await decide([{ filterVerb: "filter" }], pod("p"), [of("a"), of("b"), of("c")], [], undefined, "a");
  expect(chosen).toBe(want.length === 1 ? "a" : "b");
  const asked = server.requests.slice(before).map(({ body }) => (body as { NodeNames: string[] }).NodeNames.length);
  expect(asked).toEqual(want);
});

test("an extender that does not cache nodes gets the nodes, and returns some of them", async () => {
  answer(({ body }) => {
    const { items } = (body as { Nodes: core.NodeList }).Nodes;
    return { Nodes: { items: items.filter(({ metadata }) => metadata.name === "c") } };
  });
  expect(await decide([{ filterVerb: "filter", nodeCacheCapable: false }])).toBe("c");
});

test("the reasons of an extender are counted, and preemption may help against them", async () => {
  answer(() => ({ NodeNames: [], FailedNodes: { a: "no licence" }, FailedAndUnresolvableNodes: { b: "wrong rack" } }));
  expect(await decide([{ filterVerb: "filter" }], pod("p"), [of("a"), of("b"), of("c", "0")])).toMatchObject({
    message: expect.stringMatching(
      /^0\/3 nodes are available: 1 no licence, 1 wrong rack(, .*)?\. preemption: 0\/3 nodes/,
    ),
    candidates: expect.arrayContaining([0]),
    rejectors: expect.arrayContaining([expect.objectContaining({ name: `${server.url}/scheduler/` })]),
  });
});

test("reasons and errors of an extender are truncated, because they become part of statuses and events", async () => {
  const long = "x".repeat(100_000);
  answer(() => ({ NodeNames: [], FailedNodes: { a: long, b: long }, FailedAndUnresolvableNodes: { c: long } }));
  const refused = await decide([{ filterVerb: "filter" }]);
  expect(
    typeof refused === "string" ? refused : refused.type === "unschedulable" && refused.message.length,
  ).toBeLessThan(5000);
  answer(() => ({ Error: long }));
  await expect(decide([{ filterVerb: "filter" }])).rejects.toThrow(/^x{4096}… \(100000 characters\)$/);
});

test("scores are added by weight; extenders are called in parallel, and one that does not respond adds no scores", async () => {
  answer(({ path }) =>
    path.endsWith("one")
      ? [
          { Host: "a", Score: 5 },
          { Host: "b", Score: 9 },
        ]
      : path.endsWith("two")
        ? [{ host: "a", score: 10 }]
        : "nonsense",
  );
  const one = { prioritizeVerb: "one", weight: 1 };
  expect(await decide([one])).toBe("b");
  expect(await decide([one, { prioritizeVerb: "two", weight: 2 }, { prioritizeVerb: "broken" }])).toBe("a");
});

test("an extender is called only for pods that request a managed resource", async () => {
  answer(() => ({ NodeNames: ["b"] }));
  const managed = { filterVerb: "filter", managedResources: [{ name: "example.com/gpu", ignoredByScheduler: false }] };
  const [extender] = createExtenders([settings(managed)], stop.signal);
  expect(extender?.isInterested(podInfo(pod("p").build()))).toBe(false);
  expect(extender?.isInterested(podInfo(pod("p").requests({ "example.com/gpu": "1" }).build()))).toBe(true);
});

test("a node that changed while extenders were called is not chosen", async () => {
  answer(() => ({ NodeNames: ["b", "c"] }));
  const gone = (table: ReturnType<typeof tableOf>) => table.removeNode("b");
  expect(await decide([{ filterVerb: "filter" }], pod("p"), [of("b"), of("c")], [], gone)).toBe("c");
  answer(() => ({ NodeNames: ["b"] }));
  await expect(decide([{ filterVerb: "filter" }], pod("p"), [of("b")], [], gone)).rejects.toThrow(
    "no node fits any more",
  );
});

const victim = (name: string, on: string) => pod(name).on(on).uid(name).requests({ cpu: "4" });
test.each<[string, unknown, unknown]>([
  ["chooses the node", { b: { Pods: [{ UID: "y" }] } }, { type: "nominate", node: "b", victims: [{ uid: "y" }] }],
  [
    "leaves none, which keeps an earlier nomination",
    {},
    { type: "none", message: "preemption: no candidate node for preemption", keepNomination: true },
  ],
])("preemption: an extender %s", async (_, victims, want) => {
  answer(() => ({ NodeNameToMetaVictims: victims }));
  const decision = await decide(
    [{ preemptVerb: "preempt" }],
    pod("p").priority(10).requests({ cpu: "4" }),
    [of("a"), of("b")],
    [victim("x", "a"), victim("y", "b")],
  );
  expect(decision).toMatchObject({ postFilters: [{ plugin: "DefaultPreemption", result: want }] });
  expect(server.requests.at(-1)?.body).toMatchObject({
    NodeNameToMetaVictims: { a: { Pods: [{ UID: "x" }], NumPDBViolations: 0 } },
  });
});

test("an error of preemption while it waits for an extender is a part of the message", async () => {
  answer(() => ({ NodeNameToMetaVictims: { b: { Pods: [{ UID: 7 }] } } }));
  const decision = await decide(
    [{ preemptVerb: "preempt" }],
    pod("p").priority(10).requests({ cpu: "4" }),
    [of("b")],
    [victim("y", "b")],
  );
  expect(decision).toMatchObject({
    type: "unschedulable",
    message: expect.stringMatching(/^0\/1 nodes are available: 1 Insufficient cpu. preemption: invalid response/),
    postFilters: [{ plugin: "DefaultPreemption", result: { type: "error" } }],
  });
});

test("an extender binds the pods for which it is called", async () => {
  const info = podInfo(pod("p").uid("u").build());
  const [extender] = createExtenders([settings({ bindVerb: "bind" })], stop.signal);
  const binder = extenderBinder(extender === undefined ? [] : [extender]);
  const bind = () => binder.bind(info, node("a").build(), new CycleState(), stop.signal);
  answer(() => ({}));
  expect(await bind()).toBe("bound");
  expect(server.requests.at(-1)?.body).toEqual({ PodName: "p", PodNamespace: "default", PodUID: "u", Node: "a" });
  answer(() => ({ Error: "taken" }));
  await expect(bind()).rejects.toThrow("taken");
  expect(await extenderBinder([]).bind(info, node("a").build(), new CycleState(), stop.signal)).toBe("skip");
});

test("a scheduler that has not renewed its lease in time has no extender bind pods", async () => {
  const [extender] = createExtenders([settings({ bindVerb: "bind" })], stop.signal);
  const lost = (): never => {
    throw new Error("the lease was not renewed in time");
  };
  const binder = extenderBinder(extender === undefined ? [] : [extender], lost);
  const requests = server.requests.length;
  answer(() => ({}));
  const bind = binder.bind(podInfo(pod("p").build()), node("a").build(), new CycleState(), stop.signal);
  await expect(bind).rejects.toThrow("the lease was not renewed in time");
  expect(server.requests).toHaveLength(requests);
});

const SHORT = { httpTimeout: 300 };
const failures: readonly [string, () => unknown, RegExp][] = [
  [
    "does not answer",
    () => {
      server.behave({ type: "silent" });
      return SHORT;
    },
    /^Post "https:.*\/scheduler\/filter": no answer within 300ms$/,
  ],
  [
    "answers for ever",
    () => {
      server.behave({ type: "drip", everyMs: 20 });
      return SHORT;
    },
    /no answer within 300ms$/,
  ],
  ["closes the connection", () => server.behave({ type: "hangUp" }), /socket hang up/],
  ["is absent", async () => ({ urlPrefix: `https://127.0.0.1:${await freePort()}` }), /ECONNREFUSED/],
  [
    "is enormous",
    () => server.behave({ type: "enormous", bytes: 200 * 1024 * 1024 }),
    /the response has more than \d+ bytes/,
  ],
  [
    "fails",
    () => server.behave({ type: "answer", status: 500, body: () => "x" }),
    /failed filter with extender at URL .*, code 500/,
  ],
  ["answers nonsense", () => answer(() => "<html>"), /the response is not JSON/],
  [
    "answers another form",
    () => answer(() => ({ NodeNames: "all" })),
    /invalid response of the extender to filter: NodeNames/,
  ],
  [
    "names unknown nodes",
    () => answer(() => ({ NodeNames: ["x"] })),
    /claims a filtered node "x" which is not found in the input node list/,
  ],
  ["reports an error", () => answer(() => ({ Error: "no database" })), /^no database$/],
  [
    "has a wrong certificate",
    async () => ({
      tlsConfig: { ...(settings().tlsConfig as NonNullable<Settings["tlsConfig"]>), serverName: "other.example" },
    }),
    /other\.example/,
  ],
];
test.each(failures)("an extender that %s fails the attempt, unless it is ignorable", async (_, behave, message) => {
  const given = ((await behave()) ?? {}) as Partial<Settings>;
  await expect(decide([{ filterVerb: "filter", ...given }])).rejects.toThrow(message);
  expect(await decide([{ filterVerb: "filter", ignorable: true, ...given }])).toMatch(/^[abc]$/);
});
