import { expect, test } from "vitest";
import { testNode } from "../testing/nodes.ts";
import { testPod } from "../testing/pods.ts";
import { sourceAnnotation } from "../types/pod-identity.ts";
import { refusalsByFit } from "./node-fit.ts";

const refusalByFit = (...args: Parameters<typeof refusalsByFit>) => refusalsByFit(...args)[0];

const asks = (requests: object) => ({ containers: [{ name: "c", image: "i", resources: { requests } }] });
const onPort = (port: object) => ({ containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, ...port }] }] });
const affinity = (expression: object) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [expression] }],
      },
    },
  },
});
const key = { key: "disk", operator: "In", values: ["ssd"] };
const taint = { key: "gone", value: "x", effect: "NoExecute" };

test.each<[string, object, { node?: object; others?: readonly object[]; static?: boolean }, string | undefined]>([
  ["a pod that asks for nothing", {}, {}, undefined],
  [
    "a selector that the node meets",
    { nodeSelector: { disk: "ssd" } },
    { node: { labels: { disk: "ssd" } } },
    undefined,
  ],
  ["a selector that it does not meet", { nodeSelector: { disk: "ssd" } }, {}, "NodeAffinity"],
  ["an affinity that the node meets", affinity(key), { node: { labels: { disk: "ssd" } } }, undefined],
  ["an affinity that it does not meet", affinity(key), { node: { labels: { disk: "hdd" } } }, "NodeAffinity"],
  ["another node's name", { nodeName: "node-b" }, {}, "NodeName"],
  ["another system by selector", { nodeSelector: { "orchernetes.io/os": "windows" } }, {}, "NodeAffinity"],
  ["another system by field", { os: { name: "windows" } }, {}, "PodOSNotSupported"],
  ["too much CPU", asks({ cpu: "1500m" }), { others: [asks({ cpu: "600m" })] }, "OutOfcpu"],
  ["just enough CPU", asks({ cpu: "1400m" }), { others: [asks({ cpu: "600m" })] }, undefined],
  ["too many pods", {}, { others: [{}, {}, {}] }, "OutOfpods"],
  [
    "too much of a resource that the node has",
    asks({ "e.com/gpu": "2" }),
    { node: { allocatable: { "e.com/gpu": "1" } } },
    "OutOfe.com/gpu",
  ],
  ["a resource that no node counts", asks({ "e.com/license": "2" }), {}, undefined],
  ["a free host port", onPort({ hostPort: 80 }), { others: [onPort({ hostPort: 81 })] }, undefined],
  ["a host port that is taken", onPort({ hostPort: 80 }), { others: [onPort({ hostPort: 80 })] }, "NodePorts"],
  [
    "a host port taken on every address",
    onPort({ hostPort: 80, hostIP: "127.0.0.1" }),
    { others: [onPort({ hostPort: 80 })] },
    "NodePorts",
  ],
  [
    "a host port on every address, taken on one",
    onPort({ hostPort: 80 }),
    { others: [onPort({ hostPort: 80, hostIP: "127.0.0.1" })] },
    "NodePorts",
  ],
  [
    "the same host port on another address",
    onPort({ hostPort: 80, hostIP: "127.0.0.1" }),
    { others: [onPort({ hostPort: 80, hostIP: "127.0.0.2" })] },
    undefined,
  ],
  [
    "the same host port of another protocol",
    onPort({ hostPort: 80, protocol: "UDP" }),
    { others: [onPort({ hostPort: 80 })] },
    undefined,
  ],
  ["a container port that others have, too", onPort({}), { others: [onPort({})] }, undefined],
  ["a NoExecute taint", {}, { node: { taints: [taint] } }, "TaintToleration"],
  [
    "a NoExecute taint that is tolerated",
    { tolerations: [{ key: "gone", operator: "Exists" }] },
    { node: { taints: [taint] } },
    undefined,
  ],
  ["a NoExecute taint and a static pod", {}, { node: { taints: [taint] }, static: true }, undefined],
  ["a NoSchedule taint", {}, { node: { taints: [{ ...taint, effect: "NoSchedule" }] } }, undefined],
])("whether a pod fits on a node: %s", (_, spec, { node = {}, others = [], static: isStatic }, want) => {
  const annotations = isStatic ? { [sourceAnnotation]: "file" } : {};
  const refusal = refusalByFit(
    testPod(spec, { annotations }),
    others.map((other, at) => testPod(other, { uid: `other-${at}` })),
    testNode(node),
  );
  expect(refusal?.reason).toBe(want);
});

test.each([
  ["windows", "PodOSSelectorNodeLabelDoesNotMatch"],
  ["linux", undefined],
])("a pod that selects the operating system %s", (os, want) => {
  const pod = testPod({}, { labels: { "orchernetes.io/os": os } });
  expect(refusalByFit(pod, [], testNode({}))?.reason).toBe(want);
});

test("an insufficient resource is reported with its request, usage and capacity", () => {
  expect(refusalByFit(testPod(asks({ cpu: "1500m" })), [testPod(asks({ cpu: "600m" }))], testNode({}))?.message).toBe(
    "Node didn't have enough resource: cpu, requested: 1500, used: 600, capacity: 2000",
  );
});

test("every reason is reported, and the missing amount of an insufficient resource", () => {
  const pod = testPod({ ...asks({ cpu: "1500m", memory: "2Gi" }), nodeName: "node-b" });
  const refusals = refusalsByFit(pod, [testPod(asks({ cpu: "600m" }))], testNode({}));
  expect(refusals.map(({ reason, shortage }) => [reason, shortage?.missing])).toEqual([
    ["OutOfcpu", 100],
    ["OutOfmemory", 1 << 30],
    ["NodeName", undefined],
  ]);
});
