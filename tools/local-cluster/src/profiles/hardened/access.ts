import { applyObject } from "../../apply-object.ts";
import { groupBinding, RBAC } from "../../group-binding.ts";
import type { Layout } from "../../layout.ts";

/** Administrators of the cluster. Unlike members of `system:masters`, they lose their rights when the binding is deleted. */
export const ADMIN_GROUP = "orchernetes:cluster-admins";

const bindings = [
  groupBinding(ADMIN_GROUP, "cluster-admin", ADMIN_GROUP),
  // Lets the controller manager approve that a node renews its own client certificate.
  groupBinding(
    "orchernetes:node-certificate-rotation",
    "system:certificates.o8s.io:certificatesigningrequests:selfnodeclient",
    "system:nodes",
  ),
];

/** Namespaces that every cluster has. */
const NAMESPACES = ["default", "orch-system", "orch-public", "orch-node-lease"] as const;

/**
 * Binds administrators and nodes to their roles, and keeps pods from getting a token of an account that nobody chose: that of the
 * default service accounts of the built-in namespaces.
 *
 * @param operator name of the client certificate to use
 * @throws Error with the server's answer
 */
export async function setUpAccess(files: Layout, port: number, operator: string): Promise<void> {
  const apply = <T extends { readonly metadata: { readonly name: string } }>(path: string, object: T) =>
    applyObject(files, port, { path: `${path}/${object.metadata.name}`, object, as: operator });
  for (const binding of bindings) await apply(`/apis/${RBAC}/v1/clusterrolebindings`, binding);
  for (const namespace of NAMESPACES)
    await apply(`/api/v1/namespaces/${namespace}/serviceaccounts`, {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "default" },
      automountServiceAccountToken: false,
    });
}
