import { allResources, loadOptionalResources } from "@orchernetes/api";
import { apiVersionOf, type ResourceDefinition } from "@orchernetes/apimachinery";

const template = {
  metadata: { labels: { app: "x" } },
  spec: { containers: [{ name: "c", image: "localhost/busybox:1" }] },
};
const selector = { matchLabels: { app: "x" } };
const workload = { spec: { selector, template } };
const group = "rbac.authorization.o8s.io";
const webhook = {
  name: "a.b.c",
  clientConfig: { url: "https://127.0.0.1:1/" },
  rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothing"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  failurePolicy: "Ignore",
};
const scaleTarget = { kind: "Deployment", name: "x", apiVersion: "apps/v1" };
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const review = { resourceAttributes: { verb: "get", resource: "pods", namespace: "fuzz" }, user: "a", groups: ["b"] };

/** What an object of a kind needs beyond kind and name to pass validation, by plural. */
const contents: Readonly<Record<string, object>> = {
  bindings: { target: { kind: "Node", name: "n" } },
  configmaps: { data: { a: "b" }, binaryData: { c: "YQ==" } },
  endpoints: { subsets: [{ addresses: [{ ip: "10.1.0.1" }], ports: [{ port: 80 }] }] },
  limitranges: {
    spec: { limits: [{ type: "Container", default: { "example.com/x": "2" }, min: { "example.com/x": "1" } }] },
  },
  nodes: { spec: { podCIDR: "10.9.0.0/24", taints: [{ key: "a", effect: "NoSchedule" }] } },
  persistentvolumeclaims: { spec: claim },
  persistentvolumes: {
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } },
  },
  pods: { metadata: { labels: { app: "x" } }, spec: template.spec },
  podtemplates: { template },
  replicationcontrollers: { spec: { replicas: 1, selector: { app: "x" }, template } },
  resourcequotas: { spec: { hard: { "count/nothing.example.com": "5" } } },
  secrets: { data: { a: "YQ==" }, type: "Opaque" },
  services: { spec: { ports: [{ port: 80, targetPort: "http" }], selector: { app: "x" } } },
  mutatingwebhookconfigurations: { webhooks: [webhook] },
  validatingwebhookconfigurations: { webhooks: [webhook] },
  controllerrevisions: { revision: 1, data: { spec: {} } },
  daemonsets: workload,
  deployments: workload,
  replicasets: workload,
  statefulsets: {
    spec: { ...workload.spec, serviceName: "s", volumeClaimTemplates: [{ metadata: { name: "v" }, spec: claim }] },
  },
  tokenreviews: { spec: { token: "x.y.z" } },
  localsubjectaccessreviews: { spec: review },
  selfsubjectaccessreviews: { spec: { resourceAttributes: review.resourceAttributes } },
  selfsubjectrulesreviews: { spec: { namespace: "fuzz" } },
  subjectaccessreviews: { spec: review },
  cronjobs: {
    spec: {
      schedule: "0 0 1 1 *",
      jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
    },
  },
  jobs: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
  certificatesigningrequests: { spec: { request: "LS0tLS0=", signerName: "example.com/s", usages: ["client auth"] } },
  leases: { spec: { holderIdentity: "a", leaseDurationSeconds: 10, renewTime: "2026-01-01T00:00:00.000000Z" } },
  endpointslices: { addressType: "IPv4", endpoints: [{ addresses: ["10.1.0.1"] }], ports: [{ port: 80, name: "a" }] },
  flowschemas: {
    spec: {
      priorityLevelConfiguration: { name: "global-default" },
      matchingPrecedence: 9999,
      rules: [
        {
          subjects: [{ kind: "User", user: { name: "x" } }],
          nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/x"] }],
        },
      ],
    },
  },
  prioritylevelconfigurations: { spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } },
  ingressclasses: { spec: { controller: "example.com/c" } },
  ingresses: { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } },
  networkpolicies: {
    spec: { podSelector: {}, policyTypes: ["Ingress"], ingress: [{ ports: [{ port: 80, protocol: "TCP" }] }] },
  },
  runtimeclasses: { handler: "runc", overhead: { podFixed: { cpu: "1m" } } },
  poddisruptionbudgets: { spec: { maxUnavailable: 1, selector } },
  clusterrolebindings: {
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "User", apiGroup: group, name: "u" }],
  },
  clusterroles: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
  rolebindings: {
    roleRef: { apiGroup: group, kind: "Role", name: "r" },
    subjects: [{ kind: "ServiceAccount", name: "s", namespace: "fuzz" }],
  },
  roles: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: ["a"] }] },
  priorityclasses: { value: 7 },
  csidrivers: { spec: {} },
  csinodes: { spec: { drivers: [{ name: "d.example.com", nodeID: "n" }] } },
  csistoragecapacities: { storageClassName: "s", capacity: "1Gi" },
  storageclasses: { provisioner: "example.com/p", parameters: { a: "b" } },
  volumeattachments: { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } } },
};

/** Contents that differ between versions or groups of a plural. They take precedence over `contents`. */
const special: Readonly<Record<string, object>> = {
  "/v1/events": { involvedObject: { kind: "Pod", name: "p", namespace: "fuzz" }, reason: "R", type: "Normal" },
  "events.o8s.io/v1/events": {
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "example.com/c",
    reportingInstance: "i",
    action: "A",
    reason: "R",
    type: "Normal",
    regarding: { kind: "Pod", name: "p", namespace: "fuzz" },
  },
  "autoscaling/v1/horizontalpodautoscalers": {
    spec: { maxReplicas: 3, scaleTargetRef: scaleTarget, targetCPUUtilizationPercentage: 50 },
  },
  "autoscaling/v2/horizontalpodautoscalers": {
    spec: {
      maxReplicas: 3,
      scaleTargetRef: scaleTarget,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
    },
  },
};

/** Every resource, optional ones included. */
export const everyResource: readonly ResourceDefinition[] = [
  ...allResources,
  ...(await loadOptionalResources(() => true)),
];

/** A minimal object of a kind. Validation accepts it for most kinds; for the others it has at least kind and name. */
export function minimalObject(definition: ResourceDefinition, name: string): Record<string, unknown> {
  const { group, version, plural, kind } = definition;
  const content = structuredClone(special[`${group}/${version}/${plural}`] ?? contents[plural] ?? {});
  const metadata = "metadata" in content ? (content.metadata as object) : {};
  return { kind, apiVersion: apiVersionOf(definition), ...content, metadata: { ...metadata, name } };
}
