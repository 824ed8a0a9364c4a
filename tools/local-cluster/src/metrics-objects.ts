/**
 * The objects with which a cluster has a metrics API that is served outside of it. Pure; the compose file's cluster has the
 * same ones.
 *
 * @module
 */

/** User name of the metrics server. */
export const metricsUser = "system:metrics-server";

const NAMESPACE = "orch-system";
const SERVICE = "metrics-server";
/** The name that its serving certificate has for the API server. */
export const metricsHost = `${SERVICE}.${NAMESPACE}.svc`;

const RBAC = "rbac.authorization.o8s.io";
/** This project's name of the API, and upstream's, which stock clients have compiled in. */
const GROUPS = ["metrics.o8s.io", "metrics.k8s.io"] as const;

const API_SERVICES = "/apis/apiregistration.o8s.io/v1/apiservices";
/** Paths of the registrations of the API. */
export const metricsApiServices: readonly string[] = GROUPS.map((group) => `${API_SERVICES}/v1beta1.${group}`);

/** An object, and the path that it is applied to. */
interface Applied {
  readonly path: string;
  readonly object: object;
}

const rbac = (kind: string, name: string, more: object, metadata: object = {}) => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata: { name, ...metadata },
  ...more,
});

const clusterRole = (name: string, rules: readonly object[], labels?: object): Applied => ({
  path: `/apis/${RBAC}/v1/clusterroles/${name}`,
  object: rbac("ClusterRole", name, { rules }, labels && { labels }),
});

const roleRef = (kind: string, name: string) => ({ apiGroup: RBAC, kind, name });
const subjects = [{ apiGroup: RBAC, kind: "User", name: metricsUser }];

const clusterBinding = (name: string, role: string): Applied => ({
  path: `/apis/${RBAC}/v1/clusterrolebindings/${name}`,
  object: rbac("ClusterRoleBinding", name, { roleRef: roleRef("ClusterRole", role), subjects }),
});

const READER = "system:aggregated-metrics-reader";
const AUTH_READER = "metrics-server-auth-reader";

/**
 * The rights of the metrics server, and no more: it reads the counters of nodes, watches nodes and pods, and lets the API
 * server decide who its callers are and what they may do. Who may view the objects of a namespace may view their usage.
 */
export const metricsAccessObjects: readonly Applied[] = [
  clusterRole(
    READER,
    [{ apiGroups: GROUPS, resources: ["pods", "nodes"], verbs: ["get", "list", "watch"] }],
    Object.fromEntries(["view", "edit", "admin"].map((role) => [`${RBAC}/aggregate-to-${role}`, "true"])),
  ),
  clusterRole(metricsUser, [
    { apiGroups: [""], resources: ["nodes/metrics"], verbs: ["get"] },
    { apiGroups: [""], resources: ["pods", "nodes"], verbs: ["get", "list", "watch"] },
  ]),
  clusterBinding(metricsUser, metricsUser),
  clusterBinding("metrics-server:system:auth-delegator", "system:auth-delegator"),
  {
    path: `/apis/${RBAC}/v1/namespaces/${NAMESPACE}/rolebindings/${AUTH_READER}`,
    object: rbac("RoleBinding", AUTH_READER, {
      roleRef: roleRef("Role", "extension-apiserver-authentication-reader"),
      subjects,
    }),
  },
];

/** Where the API server finds the metrics server. */
export type MetricsAddress =
  /** An address that Endpoints may hold. */
  | { readonly type: "endpoints"; readonly ip: string; readonly port: number }
  /** A name, or an address that they must not hold; for API servers with `--enable-aggregator-routing=false`. */
  | { readonly type: "externalName"; readonly name: string; readonly port: number };

function serviceObjects(address: MetricsAddress): readonly Applied[] {
  const { port } = address;
  const metadata = { name: SERVICE, namespace: NAMESPACE };
  const core = `/api/v1/namespaces/${NAMESPACE}`;
  const service = (spec: object): Applied => ({
    path: `${core}/services/${SERVICE}`,
    object: { apiVersion: "v1", kind: "Service", metadata, spec },
  });
  if (address.type === "externalName")
    return [service({ type: "ExternalName", externalName: address.name, ports: [{ port }] })];
  const listening = { name: "https", port, protocol: "TCP" };
  const subsets = [{ addresses: [{ ip: address.ip }], ports: [listening] }];
  return [
    service({ type: "ClusterIP", ports: [{ ...listening, targetPort: port }] }),
    {
      path: `${core}/endpoints/${SERVICE}`,
      object: { apiVersion: "v1", kind: "Endpoints", metadata, subsets },
    },
  ];
}

/**
 * The service of the metrics server, and the registrations by which the API server forwards requests to it.
 *
 * @param caPem authority of its serving certificate
 */
export function metricsApiObjects(address: MetricsAddress, caPem: string | Buffer): readonly Applied[] {
  const registrations = GROUPS.map((group): Applied => {
    const name = `v1beta1.${group}`;
    const spec = {
      group,
      version: "v1beta1",
      service: { namespace: NAMESPACE, name: SERVICE, port: address.port },
      caBundle: Buffer.from(caPem).toString("base64"),
      groupPriorityMinimum: 100,
      versionPriority: 100,
    };
    const object = { apiVersion: "apiregistration.o8s.io/v1", kind: "APIService", metadata: { name }, spec };
    return { path: `${API_SERVICES}/${name}`, object };
  });
  return [...serviceObjects(address), ...registrations];
}
