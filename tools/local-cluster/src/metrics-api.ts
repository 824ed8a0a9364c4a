import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { apiRequest } from "./api-probe.ts";
import { applyObject } from "./apply-object.ts";
import type { Layout } from "./layout.ts";
import { isLoopback, type MetricsServerState } from "./state.ts";

/** User name of the metrics server. */
export const metricsUser = "system:metrics-server";

const NAMESPACE = "orch-system";
const SERVICE = "metrics-server";
/** The name that its serving certificate has for the API server. */
export const metricsHost = `${SERVICE}.${NAMESPACE}.svc`;

const RBAC = "rbac.authorization.o8s.io";
/** This project's name of the API, and upstream's, which stock clients have compiled in. */
const GROUPS = ["metrics.o8s.io", "metrics.k8s.io"] as const;

interface ApplyTarget {
  readonly files: Layout;
  /** Port of the API server. */
  readonly port: number;
  /** Name of the client certificate to use. */
  readonly as: string;
}

interface NamedObject {
  readonly metadata: { readonly name: string };
}

const applyAll = async ({ files, port, as }: ApplyTarget, objects: readonly (readonly [string, NamedObject])[]) => {
  for (const [path, object] of objects)
    await applyObject(files, port, { path: `${path}/${object.metadata.name}`, object, as });
};

const rbac = (kind: string, name: string, more: object) => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata: { name },
  ...more,
});
const roleRef = (kind: string, name: string) => ({ apiGroup: RBAC, kind, name });
const subjects = [{ apiGroup: RBAC, kind: "User", name: metricsUser }];

/** Who may read the metrics API: whoever may view the objects of a namespace may view their usage. */
const readerRole = {
  ...rbac("ClusterRole", "system:aggregated-metrics-reader", {
    rules: [{ apiGroups: GROUPS, resources: ["pods", "nodes"], verbs: ["get", "list", "watch"] }],
  }),
  metadata: {
    name: "system:aggregated-metrics-reader",
    labels: Object.fromEntries(["view", "edit", "admin"].map((role) => [`${RBAC}/aggregate-to-${role}`, "true"])),
  },
};

/** What the metrics server may do, and no more. */
const serverRole = rbac("ClusterRole", metricsUser, {
  rules: [
    { apiGroups: [""], resources: ["nodes/metrics"], verbs: ["get"] },
    { apiGroups: [""], resources: ["pods", "nodes"], verbs: ["get", "list", "watch"] },
  ],
});

/**
 * Gives the metrics server its rights: it reads the counters of nodes, watches nodes and pods, and lets the API server
 * decide who its callers are and what they may do. Idempotent.
 *
 * @throws Error with the server's answer when that fails
 */
export function allowMetricsServer(target: ApplyTarget): Promise<void> {
  const clusterRoles = `/apis/${RBAC}/v1/clusterroles`;
  const clusterBindings = `/apis/${RBAC}/v1/clusterrolebindings`;
  const bind = (name: string, role: string) =>
    rbac("ClusterRoleBinding", name, { roleRef: roleRef("ClusterRole", role), subjects });
  return applyAll(target, [
    [clusterRoles, readerRole],
    [clusterRoles, serverRole],
    [clusterBindings, bind(metricsUser, metricsUser)],
    [clusterBindings, bind("metrics-server:system:auth-delegator", "system:auth-delegator")],
    [
      `/apis/${RBAC}/v1/namespaces/${NAMESPACE}/rolebindings`,
      rbac("RoleBinding", "metrics-server-auth-reader", {
        roleRef: roleRef("Role", "extension-apiserver-authentication-reader"),
        subjects,
      }),
    ],
  ]);
}

/**
 * The service of the metrics server, which runs outside the cluster. Endpoints hold no loopback addresses: where the
 * cluster has no others, the service is an external name.
 */
function serviceObjects({ address, port }: MetricsServerState): readonly (readonly [string, NamedObject])[] {
  const core = `/api/v1/namespaces/${NAMESPACE}`;
  const metadata = { name: SERVICE, namespace: NAMESPACE };
  const service = (spec: object) => ({ apiVersion: "v1", kind: "Service", metadata, spec });
  if (isLoopback(address))
    return [[`${core}/services`, service({ type: "ExternalName", externalName: address, ports: [{ port }] })]];
  const endpoints = {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata,
    subsets: [{ addresses: [{ ip: address }], ports: [{ name: "https", port, protocol: "TCP" }] }],
  };
  const ports = [{ name: "https", port, protocol: "TCP", targetPort: port }];
  return [
    [`${core}/services`, service({ type: "ClusterIP", ports })],
    [`${core}/endpoints`, endpoints],
  ];
}

const apiServices = "/apis/apiregistration.o8s.io/v1/apiservices";

/**
 * Lets the API server serve the metrics API through the metrics server. Idempotent.
 *
 * @throws Error with the server's answer when that fails
 */
export function registerMetricsApi(target: ApplyTarget, server: MetricsServerState): Promise<void> {
  const caBundle = readFileSync(target.files.certificate("ca").certFile).toString("base64");
  const registrations = GROUPS.map((group) => {
    const spec = {
      group,
      version: "v1beta1",
      service: { namespace: NAMESPACE, name: SERVICE, port: server.port },
      caBundle,
      groupPriorityMinimum: 100,
      versionPriority: 100,
    };
    const metadata = { name: `v1beta1.${group}` };
    return [apiServices, { apiVersion: "apiregistration.o8s.io/v1", kind: "APIService", metadata, spec }] as const;
  });
  return applyAll(target, [...serviceObjects(server), ...registrations]);
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

/** The API server looks at an APIService that was not available every 30 s. */
const availableMs = 60_000;

/** Resolves when the API server can reach the metrics server. @throws Error after a minute, with the API server's reason */
export async function metricsApiAvailable({ files, port, as }: ApplyTarget): Promise<void> {
  for (const group of GROUPS) {
    const path = `${apiServices}/v1beta1.${group}`;
    for (const until = Date.now() + availableMs; ; ) {
      const { body } = await apiRequest(files, port, { method: "GET", path, as });
      const { status } = JSON.parse(body) as { readonly status?: { readonly conditions?: readonly Condition[] } };
      const condition = status?.conditions?.find(({ type }) => type === "Available");
      if (condition?.status === "True") break;
      if (Date.now() >= until) throw new Error(`the API ${group} is not available: ${condition?.message ?? body}`);
      await sleep(50);
    }
  }
}
