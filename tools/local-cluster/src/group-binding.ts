/** The group of roles and bindings. */
export const RBAC = "rbac.authorization.o8s.io";

/** A ClusterRoleBinding that gives a cluster role to a group of users. */
export const groupBinding = (name: string, role: string, group: string) => ({
  apiVersion: `${RBAC}/v1`,
  kind: "ClusterRoleBinding",
  metadata: { name },
  roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: role },
  subjects: [{ apiGroup: RBAC, kind: "Group", name: group }],
});
