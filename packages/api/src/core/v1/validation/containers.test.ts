import { expect, test } from "vitest";
import { create } from "../../../../test/support.ts";
import { pods } from "../pod.ts";

type Row = readonly [name: string, input: object, want: readonly (string | RegExp)[]];
const matching = (want: Row[2]) => want.map((text) => (typeof text === "string" ? text : expect.stringMatching(text)));

const container = { name: "c", image: "i" };
const errorsOf = (spec: object): string[] =>
  create(pods, {
    metadata: { name: "p", namespace: "n" },
    spec: { containers: [container], serviceAccountName: "default", ...spec },
  }).errors;
const ofContainer = (more: object): string[] =>
  errorsOf({ containers: [{ ...container, ...more }] }).map((text) => text.replace("spec.containers[0].", ""));

test.each<Row>([
  ["a name of 63 characters", { name: "a".repeat(63) }, []],
  [
    "a name of 64 characters",
    { name: "a".repeat(64) },
    [`name: Invalid value: "${"a".repeat(64)}": must be no more than 63 characters`],
  ],
  [
    "an image that ends in space",
    { image: "i\t" },
    [/^image: Invalid value: "i\\t": must not have leading or trailing/],
  ],
  ["the last port", { ports: [{ containerPort: 65_535, hostPort: 65_535 }] }, []],
  [
    "a host port too high",
    { ports: [{ containerPort: 1, hostPort: 65_536 }] },
    ["ports[0].hostPort: Invalid value: 65536: must be between 1 and 65535, inclusive"],
  ],
  ["a port name of 15 characters", { ports: [{ containerPort: 1, name: "a".repeat(15) }] }, []],
  [
    "a port name of 16 characters",
    { ports: [{ containerPort: 1, name: "a".repeat(16) }] },
    [`ports[0].name: Invalid value: "${"a".repeat(16)}": must be no more than 15 characters`],
  ],
  [
    "one host port on two protocols and two addresses",
    {
      ports: [
        { containerPort: 1, hostPort: 53, protocol: "UDP" },
        { containerPort: 1, hostPort: 53, protocol: "TCP" },
        { containerPort: 1, hostPort: 53, protocol: "TCP", hostIP: "10.0.0.1" },
      ],
    },
    [],
  ],
  ["a request that equals its limit", { resources: { limits: { cpu: "1" }, requests: { cpu: "1000m" } } }, []],
  [
    "a request over its limit",
    { resources: { limits: { cpu: "1" }, requests: { cpu: "1001m" } } },
    ['resources.requests: Invalid value: "1001m": must be less than or equal to cpu limit of 1'],
  ],
  [
    "an extended resource without a limit",
    { resources: { requests: { "example.com/gpu": "1" } } },
    ["resources.limits: Required value: Limit must be set for non overcommitable resources"],
  ],
  [
    "only huge pages",
    { resources: { limits: { "hugepages-2Mi": "2Mi" } } },
    ["resources: Forbidden: HugePages require cpu or memory"],
  ],
  [
    "an unknown resource",
    { resources: { limits: { gpu: "1" } } },
    [
      'resources.limits[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
      'resources.limits[gpu]: Invalid value: "gpu": must be a standard resource for containers',
      // Limits are the default of requests.
      'resources.requests[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
      'resources.requests[gpu]: Invalid value: "gpu": must be a standard resource for containers',
    ],
  ],
  [
    "a resize policy twice",
    {
      resizePolicy: ["NotRequired", "RestartContainer"].map((restartPolicy) => ({
        resourceName: "cpu",
        restartPolicy,
      })),
    },
    ['resizePolicy[1]: Duplicate value: "cpu"'],
  ],
])("container with %s", (_, more, want) => {
  expect(ofContainer(more)).toEqual(matching(want));
});

test.each<Row>([
  ["no containers", { containers: [] }, ["spec.containers: Required value"]],
  ["a container twice", { containers: [container, container] }, ['spec.containers[1].name: Duplicate value: "c"']],
  [
    "a host port in two containers",
    { containers: ["a", "b"].map((name) => ({ name, image: "i", ports: [{ containerPort: 1, hostPort: 80 }] })) },
    ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"'],
  ],
  [
    "a host port in two init containers, which run one after another",
    { initContainers: ["a", "b"].map((name) => ({ name, image: "i", ports: [{ containerPort: 1, hostPort: 80 }] })) },
    [],
  ],
  [
    "an init container twice",
    { initContainers: [1, 2].map(() => ({ name: "i", image: "i" })) },
    ['spec.initContainers[1].name: Duplicate value: "i"'],
  ],
  [
    "an init container with hooks and a probe",
    {
      initContainers: [
        {
          name: "i",
          image: "i",
          lifecycle: { preStop: { exec: { command: ["x"] } } },
          startupProbe: { exec: { command: ["x"] } },
        },
      ],
    },
    [
      /^spec\.initContainers\[0\]\.lifecycle: Invalid value: .*: must not be set for init containers$/,
      /^spec\.initContainers\[0\]\.startupProbe: Invalid value: .*: must not be set for init containers$/,
    ],
  ],
])("pod with %s", (_, spec, want) => {
  expect(errorsOf(spec)).toEqual(matching(want));
});
