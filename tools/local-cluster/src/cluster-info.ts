import { readFileSync } from "node:fs";
import { applyObject } from "./apply-object.ts";
import type { Layout } from "./layout.ts";

const NAMESPACE = "orch-public";
const NAME = "cluster-info";
const ROLE = "orchadm:bootstrap-signer-clusterinfo";
const RBAC = "rbac.authorization.o8s.io";

/** A client configuration with the address and the authority of the API server, and no credentials. */
function clusterConfig(files: Layout, server: string): string {
  const authority = readFileSync(files.certificate("ca").certFile).toString("base64");
  const cluster = { "certificate-authority-data": authority, server };
  return JSON.stringify({ apiVersion: "v1", kind: "Config", clusters: [{ name: "", cluster }] });
}

/**
 * Publishes where the API server is and which authority signs its certificate, for everybody to read. Who has a bootstrap token
 * can verify the signature that the controller bootstrapsigner adds. Idempotent.
 *
 * @param as name of the client certificate to use
 * @throws Error with the server's answer when that fails
 */
export async function publishClusterInfo(files: Layout, port: number, as: string): Promise<void> {
  const apply = (path: string, object: object): Promise<void> => applyObject(files, port, { path, object, as });
  const metadata = { name: NAME, namespace: NAMESPACE };
  const data = { orchconfig: clusterConfig(files, `https://127.0.0.1:${port}`) };
  const core = `/api/v1/namespaces/${NAMESPACE}`;
  const rbac = `/apis/${RBAC}/v1/namespaces/${NAMESPACE}`;
  await apply(`${core}/configmaps/${NAME}`, { apiVersion: "v1", kind: "ConfigMap", metadata, data });
  await apply(`${rbac}/roles/${ROLE}`, {
    apiVersion: `${RBAC}/v1`,
    kind: "Role",
    metadata: { name: ROLE, namespace: NAMESPACE },
    rules: [{ apiGroups: [""], resources: ["configmaps"], resourceNames: [NAME], verbs: ["get"] }],
  });
  await apply(`${rbac}/rolebindings/${ROLE}`, {
    apiVersion: `${RBAC}/v1`,
    kind: "RoleBinding",
    metadata: { name: ROLE, namespace: NAMESPACE },
    roleRef: { apiGroup: RBAC, kind: "Role", name: ROLE },
    subjects: [{ apiGroup: RBAC, kind: "User", name: "system:anonymous" }],
  });
}
