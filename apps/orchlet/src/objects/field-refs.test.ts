import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { fieldValue, type PodFacts, resourceValue } from "./field-refs.ts";

const facts: PodFacts = {
  nodeName: "node-a",
  hostIPs: ["192.0.2.1", "fd00::1"],
  podIPs: ["10.0.0.2", "fd01::2"],
  allocatable: { cpu: "4", memory: "8Gi", "hugepages-2Mi": "64Mi" },
};

const pod = testPod(
  { serviceAccountName: "robot" },
  { labels: { tier: "web", app: 'a"b' }, annotations: { "example.com/note": "x", z: "é\u001b\u007f\u2028\n" } },
);

test.each([
  ["metadata.name", "web"],
  ["metadata.namespace", "default"],
  ["metadata.uid", "u1"],
  ["metadata.labels", 'app="a\\"b"\ntier="web"'],
  ["metadata.annotations", 'example.com/note="x"\nz="é\\x1b\\x7f\\u2028\\n"'],
  ["metadata.labels['tier']", "web"],
  ["metadata.labels['missing']", ""],
  ["metadata.labels['constructor']", ""],
  ["metadata.annotations['example.com/note']", "x"],
  ["spec.nodeName", "node-a"],
  ["spec.serviceAccountName", "robot"],
  ["status.hostIP", "192.0.2.1"],
  ["status.podIP", "10.0.0.2"],
  ["status.podIPs", "10.0.0.2,fd01::2"],
])("%s is %j", (path, want) => {
  expect(fieldValue(pod, path, facts)).toBe(want);
});

test("an unsupported path is rejected", () => {
  expect(() => fieldValue(pod, "status.phase", facts)).toThrow("unsupported fieldPath: status.phase");
});

const [own] = testPod({
  containers: [{ name: "c", image: "i", resources: { requests: { cpu: "250m" }, limits: { cpu: "1500m" } } }],
}).spec.containers;

test.each([
  ["limits.cpu", "1", "2"],
  ["limits.cpu", "1m", "1500"],
  ["limits.cpu", "0", "2"],
  ["requests.cpu", "1", "1"],
  ["requests.memory", "1", "0"],
  ["limits.memory", "1Mi", "8192"],
  ["limits.hugepages-2Mi", "1Mi", "0"],
])("%s in units of %s is %s", (resource, divisor, want) => {
  expect(resourceValue(pod, { resource, divisor }, own, facts)).toBe(want);
});

test("a limit of 0 means no limit: the container may use what the node has", () => {
  const [unlimited] = testPod({ containers: [{ name: "c", image: "i", resources: { limits: { cpu: "0" } } }] }).spec
    .containers;
  expect(resourceValue(pod, { resource: "limits.cpu" }, unlimited, facts)).toBe("4");
});

test.each([
  [{ resource: "limits.cpu", containerName: "other" }, "container other not found"],
  [{ resource: "cpu" }, "unsupported container resource : cpu"],
])("%j is rejected", (ref, message) => {
  expect(() => resourceValue(pod, ref, own, facts)).toThrow(message);
});
