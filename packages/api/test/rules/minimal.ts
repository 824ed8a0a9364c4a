import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { container, selector, template } from "../workloads.ts";

const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const jobTemplate = { metadata: {}, spec: { restartPolicy: "Never", containers: [container] } };
const clientConfig = { url: "https://example.com/hook" };
const matched = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
const webhook = {
  name: "a.example.com",
  clientConfig,
  rules: [matched],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const roleRef = { apiGroup: "rbac.authorization.o8s.io", kind: "ClusterRole", name: "r" };

/** Smallest valid bodies, by kind. Kinds that need only a name are not listed. */
const bodies: Readonly<Record<string, object>> = {
  Pod: { spec: { containers: [{ name: "c", image: "i" }], serviceAccountName: "default" } },
  Service: { spec: { ports: [{ port: 80 }] } },
  ReplicationController: { spec: { selector: { app: "x" }, template } },
  Deployment: { spec: { selector, template } },
  ReplicaSet: { spec: { selector, template } },
  StatefulSet: { spec: { selector, template, serviceName: "s" } },
  DaemonSet: { spec: { selector, template } },
  ControllerRevision: { data: { a: 1 }, revision: 1 },
  Job: { spec: { template: jobTemplate } },
  CronJob: { spec: { schedule: "0 * * * *", jobTemplate: { spec: { template: jobTemplate } } } },
  Event: { involvedObject: { namespace: "default" } },
  PersistentVolumeClaim: { spec: claim },
  PersistentVolume: {
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } },
  },
  StorageClass: { provisioner: "example.com/p" },
  CSIDriver: { spec: {} },
  CSINode: { spec: { drivers: [{ name: "d.example.com", nodeID: "n" }] } },
  VolumeAttachment: { spec: { attacher: "d.example.com", nodeName: "n", source: { persistentVolumeName: "v" } } },
  CSIStorageCapacity: { storageClassName: "s" },
  HorizontalPodAutoscaler: { spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "d" } } },
  Ingress: { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } },
  IngressClass: { spec: { controller: "example.com/c" } },
  NetworkPolicy: { spec: { podSelector: {} } },
  ClusterRole: { rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] },
  RoleBinding: { roleRef },
  ClusterRoleBinding: { roleRef },
  EndpointSlice: { addressType: "IPv4", endpoints: [] },
  PriorityClass: { value: 1 },
  RuntimeClass: { handler: "h" },
  ValidatingWebhookConfiguration: { webhooks: [webhook] },
  MutatingWebhookConfiguration: { webhooks: [webhook] },
  ValidatingAdmissionPolicy: {
    spec: { matchConstraints: { resourceRules: [matched] }, validations: [{ expression: "true" }] },
  },
  ValidatingAdmissionPolicyBinding: { spec: { policyName: "p", validationActions: ["Deny"] } },
  FlowSchema: { spec: { priorityLevelConfiguration: { name: "l" } } },
  PriorityLevelConfiguration: { spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } },
  APIService: { spec: { group: "example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 15 } },
  SubjectAccessReview: { spec: { user: "u", resourceAttributes: {} } },
  LocalSubjectAccessReview: { spec: { user: "u", resourceAttributes: { namespace: "default" } } },
  SelfSubjectAccessReview: { spec: { resourceAttributes: {} } },
};

/** Names of kinds whose names mean something. */
const names: Readonly<Record<string, string>> = { CSIDriver: "d.example.com", APIService: "v1.example.com" };

/** An object of the resource that every rule accepts. */
export function minimal({ kind, scope, storagePrefix }: ResourceDefinition): object {
  const named = storagePrefix === undefined ? {} : { name: names[kind] ?? "x" };
  const metadata = { ...named, ...(scope === "Namespaced" && { namespace: "default" }) };
  return { metadata, ...bodies[kind] };
}
