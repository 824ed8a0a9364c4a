import type { StrategyContext } from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import { context, create, merged, update, without } from "../../../test/support.ts";
import { pods } from "./pod.ts";
import type { Pod } from "./types/pod.ts";

const off = without("InPlacePodVerticalScaling");
const requests = { cpu: "1", memory: "1Gi" };
const container = (resources: object, more: object = {}): object => ({
  spec: { containers: [{ name: "c", image: "i", imagePullPolicy: "Always", resources, ...more }] },
});
const pod = (resources: object, more: object = {}): unknown =>
  merged({ metadata: { name: "p", namespace: "ns" } }, container(resources, more));
const running = (resources: object, ctx?: StrategyContext): Pod => {
  const { object } = create(pods, pod(resources), undefined, ctx);
  return merged(object, { status: { containerStatuses: [{ name: "c", allocatedResources: requests }] } }) as Pod;
};
/** Runs an update that keeps the resize policies which the pod got by default at its creation. */
const resized = (old: Pod, resources: object, ctx: StrategyContext) => {
  const { resizePolicy } = old.spec.containers[0] ?? {};
  return update(pods, old, merged(old, container(resources, { resizePolicy })), undefined, ctx);
};

describe("policies of a new pod", () => {
  test.each([
    ["none asked for", {}, undefined, undefined],
    [
      "both",
      {},
      requests,
      [
        { resourceName: "cpu", restartPolicy: "NotRequired" },
        { resourceName: "memory", restartPolicy: "NotRequired" },
      ],
    ],
    [
      "one named",
      { resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] },
      { cpu: "1" },
      [{ resourceName: "cpu", restartPolicy: "RestartContainer" }],
    ],
  ])("%s", (_, more, asked, want) => {
    const { object } = create(pods, pod({ requests: asked }, more));
    expect(object.spec.containers[0]?.resizePolicy).toEqual(want);
  });

  test("are dropped while the feature is disabled", () => {
    const { object } = create(pods, pod({ requests }), undefined, off);
    expect(object.spec.containers[0]).not.toHaveProperty("resizePolicy");
  });
});

describe("a change of requests", () => {
  test("is proposed to the node", () => {
    const { object, errors } = resized(running({ requests }), { requests: { ...requests, cpu: "2" } }, context);
    expect([errors, object.status.resize]).toEqual([[], "Proposed"]);
  });

  test("proposes no resize if the node has already applied it", () => {
    const old = running({ requests: { ...requests, cpu: "2" } });
    expect(resized(old, { requests }, context).object.status).not.toHaveProperty("resize");
  });

  test.each([
    ["the QoS class", { requests, limits: requests }, ['metadata: Invalid value: "Guaranteed": Pod QoS is immutable']],
    [
      "other resources",
      { requests: { ...requests, "ephemeral-storage": "1Gi" } },
      [
        /^spec: Forbidden: pod updates may not change fields other than .*`spec\.containers\[\*\]\.resources` \(for CPU\/memory only\)\n/,
      ],
    ],
  ])("may not change %s", (_, resources, want) => {
    const { errors } = resized(running({ requests }), resources, context);
    expect(errors).toEqual(expect.arrayContaining(want.map((text) => expect.stringMatching(text))));
  });

  test("is rejected while the feature is disabled", () => {
    const { errors } = resized(running({ requests }, off), { requests: { ...requests, cpu: "2" } }, off);
    expect(errors).toEqual([expect.stringMatching(/^spec: Forbidden: pod updates may not change fields other than /)]);
    expect(errors[0]).not.toContain("for CPU/memory only");
  });
});

describe("scheduling gates", () => {
  const gated = { schedulingGates: [{ name: "g" }] };
  const ungated = without("PodSchedulingReadiness");

  test.each([
    ["on", context, "SchedulingGated"],
    ["off", ungated, undefined],
  ])("the condition, %s", (_, ctx, want) => {
    const { object } = create(pods, merged(pod({}), { spec: gated }), undefined, ctx);
    expect(object.status.conditions?.[0]?.reason).toBe(want);
  });

  test.each([
    ["on", context, 0],
    ["off", ungated, 1],
  ])("a more restrictive node selector, %s", (_, ctx, count) => {
    const old = create(pods, merged(pod({}), { spec: gated })).object;
    const { errors } = update(pods, old, merged(old, { spec: { nodeSelector: { a: "b" } } }), undefined, ctx);
    expect(errors).toHaveLength(count);
  });
});
