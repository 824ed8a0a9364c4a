import { describe, expect, test } from "vitest";
import { context, create, defaulted, row, subresourceStrategy, update, without } from "../../../test/support.ts";
import {
  emptySelector,
  immutableSelector,
  mismatch,
  notNegative,
  template,
  workload,
} from "../../../test/workloads.ts";
import { controllerRevisions } from "./controller-revision.ts";
import { daemonSets, templateGenerationAnnotation } from "./daemon-set.ts";
import { replicaSets } from "./replica-set.ts";
import { statefulSets } from "./stateful-set.ts";

const labels = { app: "x", tier: "z" };
const otherSelector = workload({ selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } });

describe("replicasets", () => {
  test.each<[name: string, spec: object, errors: string[]]>([
    ["nothing wrong", {}, []],
    ["negative replicas", { replicas: -1 }, [notNegative("spec.replicas")]],
    ["empty selector", { selector: {} }, [emptySelector("deployment")]],
    ["no selector", { selector: null }, ["spec.selector: Required value", mismatch]],
  ])("create: %s", (_name, spec, errors) => {
    expect(create(replicaSets, workload(spec)).errors).toEqual(errors);
  });

  test("the selector is immutable", () => {
    const old = create(replicaSets, workload()).object;
    expect(old).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 0 } });
    expect(update(replicaSets, old, otherSelector).errors).toEqual([immutableSelector('{"app":"x", "tier":"z"}')]);
  });

  test("row", () => {
    const object = { ...workload({ replicas: 2 }), status: { replicas: 2, readyReplicas: 1 } };
    expect(row(replicaSets, object)).toEqual(["w", 2, 2, 1, "<unknown>", "c", "localhost/busybox:1", "app=x"]);
  });
});

describe("daemonsets", () => {
  test("defaults", () => {
    expect(defaulted(daemonSets, workload()).spec).toMatchObject({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
    });
  });

  test.each<[name: string, spec: object, errors: string[]]>([
    ["nothing wrong", {}, []],
    ["empty selector", { selector: {} }, [emptySelector("daemonset")]],
    [
      "maxUnavailable and maxSurge both zero",
      { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } },
      [
        'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: cannot be 0',
      ],
    ],
    [
      "surge and unavailable",
      { updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: "10%" } } },
      [
        'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"10%"}: may not be set when maxUnavailable is non-zero',
      ],
    ],
    ["on delete", { updateStrategy: { type: "OnDelete" } }, []],
  ])("create: %s", (_name, spec, errors) => {
    expect(create(daemonSets, workload(spec)).errors).toEqual(errors);
  });

  test("templates are counted in an annotation that clients cannot change", () => {
    const old = create(daemonSets, workload()).object;
    const count = (input: object): string | undefined =>
      update(daemonSets, old, input).object.metadata.annotations?.[templateGenerationAnnotation];
    expect(old.metadata.annotations).toEqual({ [templateGenerationAnnotation]: "1" });
    expect(count(workload({ minReadySeconds: 3 }, { annotations: { [templateGenerationAnnotation]: "9" } }))).toBe("1");
    expect(count(workload({ template: { ...template, metadata: { labels } } }))).toBe("2");
  });
});

describe("statefulsets", () => {
  const claim = { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: {} } };

  test("defaults", () => {
    const { spec } = defaulted(statefulSets, workload({ volumeClaimTemplates: [claim] }));
    expect(spec).toMatchObject({
      replicas: 1,
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      volumeClaimTemplates: [
        {
          kind: "PersistentVolumeClaim",
          apiVersion: "v1",
          spec: { volumeMode: "Filesystem" },
          status: { phase: "Pending" },
        },
      ],
    });
  });

  test.each<[name: string, spec: object, errors: string[]]>([
    ["nothing wrong", {}, []],
    ["negative start", { ordinals: { start: -1 } }, [notNegative("spec.ordinals.start")]],
    [
      "unknown policy",
      { podManagementPolicy: "Odd" },
      [`spec.podManagementPolicy: Invalid value: "Odd": must be 'OrderedReady' or 'Parallel'`],
    ],
    [
      "unknown retention",
      { persistentVolumeClaimRetentionPolicy: { whenScaled: "Odd" } },
      [
        'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Odd": supported values: "Retain", "Delete"',
      ],
    ],
  ])("create: %s", (_name, spec, errors) => {
    expect(create(statefulSets, workload(spec)).errors).toEqual(errors);
  });

  const refused =
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  test.each<[name: string, spec: object, errors: string[]]>([
    ["replicas", { replicas: 4, minReadySeconds: 2, ordinals: { start: 1 } }, []],
    ["strategy", { updateStrategy: { type: "OnDelete" } }, []],
    ["service", { serviceName: "other" }, [refused]],
    ["history", { revisionHistoryLimit: 3 }, [refused]],
    ["claims", { volumeClaimTemplates: [claim] }, [refused]],
  ])("update: %s", (_name, spec, errors) => {
    const old = create(statefulSets, workload({ serviceName: "s" })).object;
    expect(update(statefulSets, old, workload({ serviceName: "s", ...spec })).errors).toEqual(errors);
  });

  test("collisionCount cannot be lowered", () => {
    const old = {
      ...create(statefulSets, workload()).object,
      status: { replicas: 0, availableReplicas: 0, collisionCount: 2 },
    };
    const input = { ...workload(), status: { replicas: 1, collisionCount: 1 } };
    expect(update(statefulSets, old, input, subresourceStrategy(statefulSets, "status")).errors).toEqual([
      "status.collisionCount: Invalid value: 1: cannot be decremented",
    ]);
  });
});

test("controller revisions keep their data", () => {
  const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "s", uid: "u", controller: true };
  const input = { metadata: { name: "r", ownerReferences: [owner] }, data: { a: 1 }, revision: 1 };
  const old = create(controllerRevisions, input).object;
  expect(update(controllerRevisions, old, { ...input, revision: 2 }).errors).toEqual([]);
  expect(update(controllerRevisions, old, { ...input, data: { a: 2 } }).errors).toEqual([
    'data: Invalid value: {"a":2}: field is immutable',
  ]);
  expect(row(controllerRevisions, input)).toEqual(["r", "statefulset.apps/s", 1, "<unknown>"]);
});

test.each([
  ["on", context, {}, 1],
  ["on, stated", context, { maxUnavailable: "50%" }, "50%"],
  ["off", without("MaxUnavailableStatefulSet"), {}, undefined],
])("maxUnavailable of a StatefulSet, with the feature %s", (_, ctx, rollingUpdate, want) => {
  const { object, errors } = create(statefulSets, workload({ updateStrategy: { rollingUpdate } }), undefined, ctx);
  expect([errors, object.spec.updateStrategy.rollingUpdate?.maxUnavailable]).toEqual([[], want]);
});
