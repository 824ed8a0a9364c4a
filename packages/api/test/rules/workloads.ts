import { controllerRevisions } from "../../src/apps/v1/controller-revision.ts";
import { daemonSets } from "../../src/apps/v1/daemon-set.ts";
import { deployments } from "../../src/apps/v1/deployment.ts";
import { replicaSets } from "../../src/apps/v1/replica-set.ts";
import { statefulSets } from "../../src/apps/v1/stateful-set.ts";
import { replicationControllers } from "../../src/core/v1/replication-controller.ts";
import { emptySelector, immutableSelector, mismatch, notNegative } from "../workloads.ts";
import { rulesOf } from "./rule.ts";

const spec = (more: object): object => ({ spec: more });
const pod = (more: object): object => ({ spec: { template: { spec: more } } });
const other = { selector: { matchLabels: { app: "y" } }, template: { metadata: { labels: { app: "y" } } } };
const odd = spec({ selector: { matchLabels: { app: "y" } } });
const empty = spec({ selector: { matchLabels: null } });
const always = 'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"';
const noDeadline = (workload: string): string =>
  `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${workload} is not Supported`;
const above = (count: string, what = "status.replicas"): string =>
  `status.${count}: Invalid value: 2: cannot be greater than ${what}`;

const rc = rulesOf("ReplicationController", replicationControllers);
export const replicationControllerRules = [
  rc.rule("spec.replicas", rc.no(spec({ replicas: -1 }), notNegative("spec.replicas"))),
  rc.rule(
    "spec.selector",
    rc.no(spec({ selector: { app: "y" } }), mismatch),
    rc.no({ spec: { selector: null, template: { metadata: { labels: null } } } }, "spec.selector: Required value"),
  ),
  rc.rule(
    "spec.template",
    rc.no(spec({ template: null }), "spec.template: Required value"),
    rc.no(pod({ restartPolicy: "Never" }), always),
    rc.no(pod({ activeDeadlineSeconds: 1 }), noDeadline("ReplicationController")),
  ),
];

const d = rulesOf("Deployment", deployments);
export const deploymentRules = [
  d.rule("metadata.name", d.named("dns-subdomain")),
  d.rule(
    "spec.selector",
    d.no(spec({ selector: null }), "spec.selector: Required value"),
    d.no(odd, mismatch),
    d.no(empty, emptySelector("deployment")),
    d.fixed({}, spec(other), immutableSelector('{"app":"y"}')),
  ),
  d.rule(
    "spec.replicas, minReadySeconds, revisionHistoryLimit",
    ...["replicas", "minReadySeconds", "revisionHistoryLimit"].map((name) =>
      d.no(spec({ [name]: -1 }), notNegative(`spec.${name}`)),
    ),
  ),
  d.rule(
    "spec.progressDeadlineSeconds",
    d.no(spec({ progressDeadlineSeconds: -1 }), notNegative("spec.progressDeadlineSeconds")),
    d.no(
      spec({ progressDeadlineSeconds: 5, minReadySeconds: 5 }),
      "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds",
    ),
  ),
  d.rule(
    "spec.strategy.type",
    d.no(
      spec({ strategy: { type: "Odd" } }),
      /^spec\.strategy: Unsupported value: .*: supported values: "Recreate", "RollingUpdate"$/,
    ),
    d.no(
      spec({ strategy: { type: "Recreate", rollingUpdate: {} } }),
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ),
  ),
  d.rule(
    "spec.strategy.rollingUpdate",
    d.no(
      spec({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      /^spec\.strategy\.rollingUpdate\.maxUnavailable: Invalid value: .*: may not be 0 when `maxSurge` is 0$/,
    ),
    d.no(
      spec({ strategy: { rollingUpdate: { maxUnavailable: "101%" } } }),
      /^spec\.strategy\.rollingUpdate\.maxUnavailable: Invalid value: .*: must not be greater than 100%$/,
    ),
    d.no(
      spec({ strategy: { rollingUpdate: { maxSurge: "a" } } }),
      /^spec\.strategy\.rollingUpdate\.maxSurge: Invalid value: .*: a valid percent string must be/,
    ),
  ),
  d.rule(
    "spec.template.spec.restartPolicy",
    d.no(pod({ restartPolicy: "Never" }), always),
    d.no(pod({ activeDeadlineSeconds: 1 }), noDeadline("ReplicaSet")),
  ),
  d.rule(
    "status",
    ...["updatedReplicas", "readyReplicas", "availableReplicas"].map((count) =>
      d.noStatus({ replicas: 1, [count]: 2 }, above(count)),
    ),
    d.noStatus({ replicas: 2, availableReplicas: 2 }, above("availableReplicas", "readyReplicas")),
    d.noStatus({ collisionCount: -1 }, notNegative("status.collisionCount")),
  ),
];

const r = rulesOf("ReplicaSet", replicaSets);
export const replicaSetRules = [
  r.rule(
    "spec.selector",
    r.no(spec({ selector: null }), "spec.selector: Required value"),
    r.no(odd, mismatch),
    r.no(empty, emptySelector("deployment")),
    r.fixed({}, spec(other), immutableSelector('{"app":"y"}')),
  ),
  r.rule(
    "spec.replicas, minReadySeconds",
    ...["replicas", "minReadySeconds"].map((name) => r.no(spec({ [name]: -1 }), notNegative(`spec.${name}`))),
  ),
  r.rule(
    "spec.template.spec.restartPolicy",
    r.no(pod({ restartPolicy: "Never" }), always),
    r.no(pod({ activeDeadlineSeconds: 1 }), noDeadline("ReplicaSet")),
  ),
  r.rule(
    "status",
    ...["fullyLabeledReplicas", "readyReplicas", "availableReplicas"].map((count) =>
      r.noStatus({ replicas: 1, [count]: 2 }, above(count)),
    ),
    r.noStatus({ replicas: 2, availableReplicas: 2 }, above("availableReplicas", "readyReplicas")),
  ),
];

const s = rulesOf("StatefulSet", statefulSets);
export const statefulSetRules = [
  s.rule("metadata.name", s.named("dns-subdomain")),
  s.rule(
    "spec.podManagementPolicy",
    s.no(
      spec({ podManagementPolicy: "Odd" }),
      "spec.podManagementPolicy: Invalid value: \"Odd\": must be 'OrderedReady' or 'Parallel'",
    ),
  ),
  s.rule(
    "spec.updateStrategy.type",
    s.no(
      spec({ updateStrategy: { type: "Odd" } }),
      /^spec\.updateStrategy: Invalid value: .*: must be 'RollingUpdate' or 'OnDelete'$/,
    ),
    s.no(
      spec({ updateStrategy: { type: "OnDelete", rollingUpdate: {} } }),
      /^spec\.updateStrategy\.rollingUpdate: Invalid value: .*: only allowed for updateStrategy 'RollingUpdate'$/,
    ),
    s.no(
      spec({ updateStrategy: { rollingUpdate: { partition: -1 } } }),
      notNegative("spec.updateStrategy.rollingUpdate.partition"),
    ),
    s.no(
      spec({ updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }),
      /^spec\.updateStrategy\.rollingUpdate\.maxUnavailable: Invalid value: .*: cannot be 0$/,
    ),
  ),
  s.rule(
    "spec.selector",
    s.no(spec({ selector: null }), "spec.selector: Required value"),
    s.no(odd, mismatch),
    s.no(empty, emptySelector("statefulset")),
  ),
  s.rule(
    "spec.persistentVolumeClaimRetentionPolicy",
    s.no(
      spec({ persistentVolumeClaimRetentionPolicy: { whenDeleted: "Odd" } }),
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Odd": supported values: "Retain", "Delete"',
    ),
  ),
  s.rule("spec.ordinals.start", s.no(spec({ ordinals: { start: -1 } }), notNegative("spec.ordinals.start"))),
  s.rule(
    "spec.template.spec.restartPolicy",
    s.no(pod({ restartPolicy: "Never" }), always),
    s.no(pod({ activeDeadlineSeconds: 1 }), noDeadline("StatefulSet")),
  ),
  s.rule(
    "update spec",
    s.free(
      {},
      spec({
        replicas: 2,
        ordinals: { start: 1 },
        minReadySeconds: 1,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
      }),
    ),
    s.fixed(
      {},
      spec({ serviceName: "t" }),
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ),
  ),
  s.rule(
    "status",
    ...["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"].map((count) =>
      s.noStatus({ replicas: 1, [count]: 2 }, above(count)),
    ),
  ),
];

const ds = rulesOf("DaemonSet", daemonSets);
const rolling = (rollingUpdate: object): object => spec({ updateStrategy: { rollingUpdate } });
export const daemonSetRules = [
  ds.rule(
    "spec.selector",
    ds.no(odd, mismatch),
    ds.no(empty, emptySelector("daemonset")),
    ds.fixed({}, spec(other), immutableSelector('{"app":"y"}')),
  ),
  ds.rule(
    "spec.template.spec.restartPolicy",
    ds.no(pod({ restartPolicy: "Never" }), always),
    ds.no(pod({ activeDeadlineSeconds: 1 }), noDeadline("DaemonSet")),
  ),
  ds.rule(
    "spec.updateStrategy.type",
    ds.no(
      spec({ updateStrategy: { type: "Odd" } }),
      /^spec\.updateStrategy: Unsupported value: .*: supported values: "RollingUpdate", "OnDelete"$/,
    ),
  ),
  ds.rule(
    "spec.updateStrategy.rollingUpdate",
    ds.no(rolling({ maxUnavailable: 0 }), /^.*rollingUpdate\.maxUnavailable: Invalid value: .*: cannot be 0$/),
    ds.no(
      rolling({ maxSurge: 1 }),
      /^.*rollingUpdate\.maxSurge: Invalid value: .*: may not be set when maxUnavailable is non-zero$/,
    ),
    ds.no(rolling({ maxUnavailable: "101%" }), /^.*maxUnavailable: Invalid value: .*: must not be greater than 100%$/),
  ),
  ds.rule(
    "spec.minReadySeconds, revisionHistoryLimit",
    ...["minReadySeconds", "revisionHistoryLimit"].map((name) =>
      ds.no(spec({ [name]: -1 }), notNegative(`spec.${name}`)),
    ),
  ),
];

const cr = rulesOf("ControllerRevision", controllerRevisions);
export const controllerRevisionRules = [
  cr.rule(
    "data",
    cr.no({ data: null }, "data: Required value: data is mandatory"),
    cr.fixed({}, { data: { a: 2 } }, /^data: Invalid value: .*: field is immutable$/),
  ),
  cr.rule("revision", cr.no({ revision: -1 }, notNegative("revision"))),
];
