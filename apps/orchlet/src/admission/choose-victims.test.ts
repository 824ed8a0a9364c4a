import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { sourceAnnotation } from "../types/pod-identity.ts";
import { chooseVictims, shortageText } from "./choose-victims.ts";

const critical = testPod({ priority: 2_000_000_000 }, { uid: "critical" });

type Resources = Readonly<Record<string, string>>;
/** A pod of best effort, burstable or, with limits equal to its requests, guaranteed. */
const pod = (uid: string, requests?: Resources, options: { guaranteed?: boolean; priority?: number } = {}) => {
  const resources = { ...(requests && { requests }), ...(options.guaranteed && { limits: requests }) };
  return testPod({ containers: [{ name: "c", image: "i", resources }], priority: options.priority ?? 0 }, { uid });
};
const guaranteed = (uid: string, cpu: string, memory: string) => pod(uid, { cpu, memory }, { guaranteed: true });
const cpu = (missing: number) => ({ resource: "cpu", missing });
const memory = (mebi: number) => ({ resource: "memory", missing: mebi << 20 });

const best = pod("best");
const small = pod("small", { cpu: "100m", memory: "100Mi" });
const medium = pod("medium", { cpu: "200m", memory: "100Mi" });
const large = pod("large", { cpu: "400m", memory: "300Mi" });
const firm = guaranteed("firm", "200m", "100Mi");
const firmLarge = guaranteed("firmLarge", "400m", "300Mi");

test.each([
  ["nothing is evicted that frees nothing of what is short", [best, small], [cpu(100)], ["small"]],
  ["one large pod rather than two small ones", [small, medium, large], [cpu(300)], ["large"]],
  ["of pods that all suffice the one that asks for least", [large, medium, small], [cpu(50)], ["small"]],
  ["the nearest first, then the next one for the rest", [small, medium, large], [cpu(550)], ["large", "medium"]],
  ["guaranteed pods only for what the others do not have", [firm, firmLarge, large], [cpu(300)], ["large"]],
  ["the smallest guaranteed pod beside a burstable one", [firmLarge, firm, small], [cpu(300)], ["small", "firm"]],
  ["every resource that is short", [small, medium, firm], [cpu(250), memory(150)], ["medium", "small"]],
  ["a place for a pod is had from best effort", [firm, small, best], [{ resource: "pods", missing: 1 }], ["best"]],
  [
    "in order: best effort, burstable, guaranteed",
    [firm, small, best],
    [{ resource: "pods", missing: 3 }],
    ["best", "small", "firm"],
  ],
])("%s", (_, running, shortages, want) => {
  const choice = chooseVictims(critical, running, shortages);
  expect(choice).toMatchObject({ type: "Enough" });
  expect(choice.type === "Enough" && choice.victims.map(({ metadata }) => metadata.uid)).toEqual(want);
});

const staticPod = testPod(
  { containers: [{ name: "c", image: "i" }] },
  { uid: "s", annotations: { [sourceAnnotation]: "file" } },
);
test.each([
  ["a critical pod, any that is not", critical, large, "Enough"],
  ["a static pod, any that is not critical", staticPod, large, "Enough"],
  [
    "a critical pod not another one of its priority",
    critical,
    pod("x", { cpu: "1" }, { priority: 2_000_000_000 }),
    "TooLittle",
  ],
  [
    "a critical pod not one of a higher priority",
    critical,
    pod("x", { cpu: "1" }, { priority: 2_000_001_000 }),
    "TooLittle",
  ],
  [
    "a pod of higher priority a critical one",
    pod("y", {}, { priority: 2_000_001_000 }),
    pod("x", { cpu: "1" }, { priority: 2_000_000_000 }),
    "Enough",
  ],
])("may preempt: %s", (_, preemptor, other, want) => {
  expect(chooseVictims(preemptor, [other], [cpu(100)]).type).toBe(want);
});

test("resources that no eviction would free are reported", () => {
  const choice = chooseVictims(critical, [small, large], [cpu(600), memory(200)]);
  expect(choice).toEqual({ type: "TooLittle", missing: [cpu(100)] });
  expect(shortageText([cpu(100), { resource: "pods", missing: 1 }])).toBe("[(res: cpu, q: 100), (res: pods, q: 1), ]");
});
