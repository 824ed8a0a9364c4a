import { applyObject } from "./apply-object.ts";
import type { Layout } from "./layout.ts";

/** User name of the API server towards node agents. */
export const orchletClient = "orch-apiserver-orchlet-client";

/** Allows the API server to use the nodes' agents, and nothing else. */
const binding = {
  apiVersion: "rbac.authorization.o8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: orchletClient },
  roleRef: { apiGroup: "rbac.authorization.o8s.io", kind: "ClusterRole", name: "system:orchlet-api-admin" },
  subjects: [{ apiGroup: "rbac.authorization.o8s.io", kind: "User", name: orchletClient }],
};

/**
 * Binds the API server's identity towards nodes to the role for it. Idempotent.
 *
 * @param as name of the client certificate to use
 * @throws Error with the server's answer when that fails
 */
export function bindOrchletClient(files: Layout, port: number, as: string): Promise<void> {
  const path = `/apis/rbac.authorization.o8s.io/v1/clusterrolebindings/${orchletClient}`;
  return applyObject(files, port, { path, object: binding, as });
}
