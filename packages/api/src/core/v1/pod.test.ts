import { describe, expect, test } from "vitest";
import { create, merged, row, subresourceStrategy, update } from "../../../test/support.ts";
import { pods } from "./pod.ts";
import { podQosClass } from "./rules/qos.ts";
import type { Pod } from "./types/pod.ts";

const minimal = {
  metadata: { name: "web", namespace: "ns" },
  spec: { serviceAccountName: "default", containers: [{ name: "c", image: "app:1" }] },
};
const withContainer = (container: object) => ({
  ...minimal,
  spec: { ...minimal.spec, containers: [{ name: "c", image: "app:1", ...container }] },
});
const withSpec = (spec: object) => merged(minimal, { spec });
const stored = (patch: object = {}): Pod => create(pods, merged(minimal, patch)).object;

test("seccomp profiles are not repeated in annotations", () => {
  const seccompProfile = { type: "RuntimeDefault" };
  const pod = merged(withContainer({ securityContext: { seccompProfile } }), {
    spec: { securityContext: { seccompProfile } },
  });
  expect(create(pods, pod).object.metadata.annotations).toBeUndefined();
});

describe("generic ephemeral volumes", () => {
  const withTemplate = (metadata?: object) => {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const volumeClaimTemplate = { ...(metadata && { metadata }), spec };
    return create(pods, withSpec({ volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate } }] })).errors;
  };
  const at = "spec.volumes[0].ephemeral.volumeClaimTemplate.metadata";

  test.each([
    ["no metadata", undefined],
    ["an empty creationTimestamp", { creationTimestamp: null }],
    ["labels and annotations", { labels: { a: "b" }, annotations: { c: "d" } }],
    ["empty fields", { name: "", generation: 0, finalizers: [], ownerReferences: [] }],
  ])("with %s", (_, metadata) => {
    expect(withTemplate(metadata)).toEqual([]);
  });

  test.each([
    ["name", "n"],
    ["generation", 1],
    ["finalizers", ["a/b"]],
    ["creationTimestamp", "2026-01-01T00:00:00Z"],
  ])("%s cannot be set", (key, value) => {
    expect(withTemplate({ [key]: value })).toEqual([`${at}.${key}: Forbidden: cannot be set for an ephemeral volume`]);
  });
});

describe("defaults", () => {
  test("of a minimal pod", () => {
    const { object, errors } = create(pods, minimal);
    expect(errors).toEqual([]);
    expect(object.spec).toMatchObject({
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      schedulerName: "default-scheduler",
      terminationGracePeriodSeconds: 30,
      enableServiceLinks: true,
      securityContext: {},
      serviceAccount: "default",
      containers: [
        {
          imagePullPolicy: "IfNotPresent",
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
        },
      ],
    });
    expect(object.status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
  });

  test.each([
    ["app", "Always"],
    ["app:latest", "Always"],
    ["host:5000/app", "Always"],
    ["host:5000/app:1", "IfNotPresent"],
    ["app@sha256:abc", "IfNotPresent"],
    ["app:latest@sha256:abc", "Always"],
  ])("image %s is pulled %s", (image, policy) => {
    expect(create(pods, withContainer({ image })).object.spec.containers[0]?.imagePullPolicy).toBe(policy);
  });

  test.each([
    [{ resources: { limits: { cpu: "1" } } }, { resources: { requests: { cpu: "1" } } }],
    [{ ports: [{ containerPort: 80 }] }, { ports: [{ protocol: "TCP" }] }],
    [{ livenessProbe: { tcpSocket: { port: 1 } } }, { livenessProbe: { periodSeconds: 10, failureThreshold: 3 } }],
    [{ startupProbe: { grpc: { port: 1 } } }, { startupProbe: { grpc: { service: "" } } }],
    [
      { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] },
      { env: [{ valueFrom: { fieldRef: { apiVersion: "v1" } } }] },
    ],
  ])("container %j", (container, want) => {
    expect(create(pods, withContainer(container)).object.spec.containers[0]).toMatchObject(want);
  });

  test.each([
    [{ name: "v" }, { emptyDir: {} }],
    [{ name: "v", secret: { secretName: "s" } }, { secret: { defaultMode: 420 } }],
    [{ name: "v", hostPath: { path: "/x" } }, { hostPath: { type: "" } }],
    [
      { name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
      { projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3600 } }] } },
    ],
  ])("volume %j", (volume, want) => {
    expect(create(pods, withSpec({ volumes: [volume] })).object.spec.volumes?.[0]).toMatchObject(want);
  });

  test("host ports of the host's network", () => {
    const pod = merged(withContainer({ ports: [{ containerPort: 80 }] }), { spec: { hostNetwork: true } });
    expect(create(pods, pod).object.spec.containers[0]?.ports?.[0]?.hostPort).toBe(80);
  });
});

describe("rejected pods", () => {
  test.each([
    [
      { command: ["x"], resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } },
      ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ],
    [
      { resources: { requests: { "a.b/gpu": "1" } } },
      ["spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources"],
    ],
    [
      { resources: { limits: { "hugepages-2Mi": "2Mi" } } },
      ["spec.containers[0].resources: Forbidden: HugePages require cpu or memory"],
    ],
    [
      { resources: { limits: { odd: "1" } } },
      [
        'spec.containers[0].resources.limits[odd]: Invalid value: "odd": must be a standard resource type or fully qualified',
        'spec.containers[0].resources.limits[odd]: Invalid value: "odd": must be a standard resource for containers',
        'spec.containers[0].resources.requests[odd]: Invalid value: "odd": must be a standard resource type or fully qualified',
        'spec.containers[0].resources.requests[odd]: Invalid value: "odd": must be a standard resource for containers',
      ],
    ],
    [
      { securityContext: { privileged: true, allowPrivilegeEscalation: false } },
      [expect.stringMatching(/^spec\.containers\[0\]\.securityContext: Invalid value: .*`privileged` to true$/)],
    ],
    [
      { readinessProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 3 } },
      [
        "spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 3: must not be set for readinessProbes",
      ],
    ],
  ])("container %#", (container, want) => {
    expect(create(pods, withContainer(container)).errors).toEqual(want);
  });

  test.each([
    [
      { nodeName: "n", schedulingGates: [{ name: "g" }] },
      ["spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"],
    ],
    [
      { ephemeralContainers: [{ name: "e", image: "i" }] },
      ["spec.ephemeralContainers: Forbidden: cannot be set on create"],
    ],
    [{ dnsPolicy: "None" }, ["spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"]],
    [
      { activeDeadlineSeconds: 0 },
      ["spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"],
    ],
    [{ os: { name: "windows" }, hostPID: true }, ["spec.hostPID: Forbidden: cannot be set for a windows pod"]],
    [{ hostUsers: false, hostNetwork: true }, ["spec.hostNetwork: Forbidden: when `pod.Spec.HostUsers` is false"]],
    [
      { restartPolicy: "Maybe" },
      ['spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"'],
    ],
    [
      { volumes: [{ name: "v", nfs: { server: "s", path: "rel" } }] },
      ['spec.volumes[0].nfs.path: Invalid value: "rel": must be an absolute path'],
    ],
    [
      { volumes: [{ name: "v", csi: { driver: "" } }] },
      ["spec.volumes[0].csi.driver: Required value", expect.stringContaining("RFC 1123 subdomain")],
    ],
    [
      { volumes: [{ name: "v", rbd: {} }] },
      ["spec.volumes[0].rbd.monitors: Required value", "spec.volumes[0].rbd.image: Required value"],
    ],
  ])("spec %j", (spec, want) => {
    expect(create(pods, withSpec(spec)).errors).toEqual(want);
  });

  test("a token without an identity", () => {
    const volumes = [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }];
    const errors = create(pods, withSpec({ volumes, serviceAccountName: null })).errors;
    expect(errors).toEqual([
      "spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set",
    ]);
  });
});

describe("updates", () => {
  const change = (spec: object, old = stored()) => update(pods, old, merged(old, { spec })).errors;

  test.each([
    [{ containers: [{ name: "c", image: "app:2", imagePullPolicy: "IfNotPresent" }] }],
    [{ activeDeadlineSeconds: 5 }],
    [{ tolerations: [{ key: "k", operator: "Exists" }] }],
  ])("%j is allowed", (spec) => {
    expect(change(spec)).toEqual([]);
  });

  test.each([
    [
      { dnsPolicy: "Default" },
      /^spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`.*\n-dnsPolicy: "ClusterFirst"\n\+dnsPolicy: "Default"$/s,
    ],
    [{ containers: [] }, /^spec.containers: Forbidden: pod updates may not add or remove containers$/m],
    [
      { schedulingGates: [{ name: "g" }] },
      /^spec.schedulingGates: Forbidden: only deletion is allowed, but found new scheduling gate 'g'$/,
    ],
    [{ nodeName: "n" }, /\n\+nodeName: "n"$/],
  ])("%j is rejected", (spec, want) => {
    expect(change(spec).at(-1)).toMatch(want);
  });

  test("activeDeadlineSeconds can only be lowered", () => {
    const old = stored({ spec: { activeDeadlineSeconds: 5 } });
    expect(change({ activeDeadlineSeconds: 4 }, old)).toEqual([]);
    expect(change({ activeDeadlineSeconds: 6 }, old)).toEqual([
      "spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value",
    ]);
  });

  test("node selectors of gated pods may be made more restrictive", () => {
    const old = stored({ spec: { schedulingGates: [{ name: "g" }], nodeSelector: { a: "b" } } });
    expect(change({ schedulingGates: [], nodeSelector: { a: "b", c: "d" } }, old)).toEqual([]);
    expect(change({ nodeSelector: { a: "x" } }, old)).toHaveLength(1);
  });

  test("a status update keeps the spec, and a terminated container stays terminated", () => {
    const ended = {
      name: "c",
      image: "x",
      imageID: "",
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode: 0 } },
    };
    const old = merged(stored({ spec: { restartPolicy: "Never" } }), { status: { containerStatuses: [ended] } }) as Pod;
    const status = subresourceStrategy(pods, "status");
    const next = merged(old, {
      spec: { nodeName: "n" },
      status: { containerStatuses: [{ ...ended, state: { running: {} } }] },
    });
    const { object, errors } = update(pods, old, next, status);
    expect(object.spec).toEqual(old.spec);
    expect(errors).toEqual([
      "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state",
    ]);
  });

  test("podIP and podIPs are synchronized", () => {
    const old = stored();
    const { object } = update(
      pods,
      old,
      merged(old, { status: { podIP: "10.0.0.1" } }),
      subresourceStrategy(pods, "status"),
    );
    expect(object.status.podIPs).toEqual([{ ip: "10.0.0.1" }]);
  });

  test("ephemeral containers are only added", () => {
    const strategy = subresourceStrategy(pods, "ephemeralcontainers");
    const add = (name: string, image: string) => ({ ephemeralContainers: [{ name, image }], dnsPolicy: "Default" });
    const first = update(pods, stored(), merged(stored(), { spec: add("e", "i:1") }), strategy);
    expect(first.errors).toEqual([]);
    expect(first.object.spec.dnsPolicy).toBe("ClusterFirst");
    expect(update(pods, first.object, merged(stored(), { spec: add("f", "i:1") }), strategy).errors).toEqual([
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n',
    ]);
  });
});

test.each([
  ["bound", { spec: { nodeName: "n" } }, undefined, 30],
  ["bound, with a requested grace period", { spec: { nodeName: "n" } }, 5, 5],
  ["bound, negative", { spec: { nodeName: "n", terminationGracePeriodSeconds: -3 } }, undefined, 1],
  ["unbound", {}, 5, 0],
])("grace period on deletion of a pod that is %s", (_, patch, requested, want) => {
  expect(pods.strategy.decideDeletion?.(stored(patch), requested)).toEqual({
    type: "graceful",
    gracePeriodSeconds: want,
  });
});

test.each([
  [{}, "BestEffort"],
  [{ requests: { cpu: "1" } }, "Burstable"],
  [{ limits: { cpu: "1", memory: "1Gi" } }, "Guaranteed"],
  [{ limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m", memory: "1Gi" } }, "Burstable"],
  [{ limits: { cpu: "1000m", memory: "1Gi" }, requests: { cpu: "1", memory: "1024Mi" } }, "Guaranteed"],
  [{ requests: { "ephemeral-storage": "1Gi" } }, "BestEffort"],
])("resources %j are %s", (resources, want) => {
  expect(podQosClass(create(pods, withContainer({ resources })).object.spec)).toBe(want);
});

const status = (state: object, more: object = {}) => ({
  name: "c",
  image: "x",
  imageID: "",
  ready: false,
  restartCount: 2,
  state,
  lastState: {},
  ...more,
});
test.each([
  [{ phase: "Pending" }, ["0/1", "Pending", "0"]],
  [{ phase: "Failed", reason: "Evicted" }, ["0/1", "Evicted", "0"]],
  [{ phase: "Running", containerStatuses: [status({ running: {} }, { ready: true })] }, ["1/1", "Running", "2"]],
  [
    {
      phase: "Running",
      containerStatuses: [
        status(
          { waiting: { reason: "CrashLoopBackOff" } },
          { lastState: { terminated: { exitCode: 1, finishedAt: "2025-12-31T23:00:00Z" } } },
        ),
      ],
    },
    ["0/1", "CrashLoopBackOff", "2 (60m ago)"],
  ],
  [{ phase: "Failed", containerStatuses: [status({ terminated: { exitCode: 3 } })] }, ["0/1", "ExitCode:3", "2"]],
  [
    { phase: "Failed", containerStatuses: [status({ terminated: { exitCode: 1, signal: 9 } })] },
    ["0/1", "Signal:9", "2"],
  ],
  [
    { phase: "Pending", initContainerStatuses: [status({ terminated: { exitCode: 1, reason: "Error" } })] },
    ["0/1", "Init:Error", "2"],
  ],
  [{ phase: "Pending", initContainerStatuses: [status({ running: {} })] }, ["0/1", "Init:0/0", "2"]],
  [
    { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
    ["0/1", "SchedulingGated", "0"],
  ],
])("table row of %j", (podStatus, want) => {
  expect(row(pods, merged(minimal, { status: podStatus })).slice(1, 4)).toEqual(want);
});

test("warnings", () => {
  const env = [{ name: "A" }, { name: "A" }];
  const { object } = create(
    pods,
    merged(withContainer({ env, resources: { requests: { memory: "100m" } } }), {
      spec: { terminationGracePeriodSeconds: -1 },
    }),
  );
  expect(pods.strategy.warnings?.(object, undefined)).toEqual([
    'spec.containers[0].env[1].name: duplicate name "A"',
    'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
    "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
  ]);
});
