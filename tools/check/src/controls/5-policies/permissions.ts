import { type Control, judged, notApplicable } from "../../control.ts";
import type { Objects, Role, RoleRule } from "../../evidence/evidence.ts";
import { isSystemNamespace } from "../../evidence/user-namespaces.ts";
import { nameOf, objectControl } from "../shared/object-control.ts";

/** Label that the API server sets on the roles that it creates. */
const BOOTSTRAP_LABEL = "orchernetes.io/bootstrapping";

/** Roles that the API server makes: their permissions are the cluster's own. */
const isBootstrapped = ({ metadata }: Role): boolean => metadata.labels?.[BOOTSTRAP_LABEL] === "rbac-defaults";

/** Whether a list of a rule contains a value; a wildcard contains all of them. */
const has = (list: readonly string[] | undefined, ...wanted: readonly string[]): boolean =>
  list?.some((entry) => entry === "*" || wanted.includes(entry)) === true;

/** What a role must not allow without need. */
interface Permission {
  readonly verbs: readonly string[];
  readonly group: string;
  readonly resources: readonly string[];
}

const grants = ({ verbs, group, resources }: Permission, rule: RoleRule): boolean =>
  has(rule.verbs, ...verbs) && has(rule.apiGroups, group) && has(rule.resources, ...resources);

/** Names of the roles that were added to the cluster's own and have such a rule. */
const addedRoles = ({ roles }: Objects, isBad: (rule: RoleRule) => boolean): readonly string[] =>
  roles
    .filter((role) => !isBootstrapped(role) && (role.rules ?? []).some(isBad))
    .map((role) => `${role.kind} ${nameOf(role)}`);

/** A control about a permission: met if no role but the cluster's own grants it. */
const permissionControl = (number: string, title: string, ...permissions: readonly Permission[]): Control =>
  objectControl({
    number,
    title,
    severity: "warn",
    what: "roles that allow it",
    none: "no role allows it but those of the API server",
    remedy: "remove the permission from the roles, or bind them to fewer subjects",
    offenders: (objects) => addedRoles(objects, (rule) => permissions.some((one) => grants(one, rule))),
  });

/** A permission about a resource of the core group. */
const core = (resource: string, ...verbs: readonly string[]): Permission => ({
  verbs,
  group: "",
  resources: [resource],
});

/** Groups that everybody is in, or every pod. */
const isWideGroup = (name: string): boolean =>
  ["system:authenticated", "system:unauthenticated"].includes(name) || name.startsWith("system:serviceaccounts");

const roleControls: readonly Control[] = [
  objectControl({
    number: "5.1.1",
    title: "No program is an administrator of the cluster",
    severity: "warn",
    what: "bindings of cluster-admin to service accounts or to everybody",
    none: "cluster-admin is bound to users and groups of administrators only",
    remedy: "bind a role with the permissions that are needed instead",
    offenders: ({ bindings }) =>
      bindings
        .filter(
          ({ roleRef, subjects = [] }) =>
            roleRef.name === "cluster-admin" &&
            subjects.some(
              ({ kind, name }) =>
                kind === "ServiceAccount" || (kind === "Group" && isWideGroup(name)) || name === "system:anonymous",
            ),
        )
        .map(nameOf),
  }),
  permissionControl("5.1.2", "Only a few subjects may read secrets", core("secrets", "get", "list", "watch")),
  objectControl({
    number: "5.1.3",
    title: "Roles name what they allow, without wildcards",
    severity: "warn",
    what: "roles with wildcards",
    none: "no role has wildcards but those of the API server",
    remedy: "name verbs, groups and resources",
    offenders: (objects) =>
      addedRoles(objects, ({ verbs, apiGroups, resources }) => has(verbs) || has(apiGroups) || has(resources)),
  }),
  permissionControl("5.1.4", "Only a few subjects may create pods", core("pods", "create")),
];

const accountControls: readonly Control[] = [
  objectControl({
    number: "5.1.5",
    title: "Default service accounts are not used",
    severity: "warn",
    what: "default accounts that pods get a token of, or that roles are bound to",
    none: "no default account gives a token to pods or has a role",
    remedy:
      "automountServiceAccountToken: false in the account default of each namespace; bind roles to accounts of their own",
    offenders: ({ serviceAccounts, bindings }) => [
      ...serviceAccounts
        .filter(
          ({ metadata, automountServiceAccountToken }) =>
            metadata.name === "default" && automountServiceAccountToken !== false,
        )
        .map((account) => `serviceaccount ${nameOf(account)}`),
      ...bindings
        .filter(({ subjects = [] }) =>
          subjects.some(({ kind, name }) => kind === "ServiceAccount" && name === "default"),
        )
        .map((binding) => `binding ${nameOf(binding)}`),
    ],
  }),
  objectControl({
    number: "5.1.6",
    title: "Pods without need for the API have no token",
    severity: "warn",
    what: "pods with a token",
    none: "no pod has a token, but those of the system",
    remedy: "automountServiceAccountToken: false in pods that do not use the API",
    offenders: ({ pods }) =>
      pods
        .filter(({ metadata, spec }) => {
          const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
          return !isSystemNamespace(metadata.namespace) && sources.some((source) => "serviceAccountToken" in source);
        })
        .map(nameOf),
  }),
  {
    number: "5.1.7",
    title: "Administrators are not in system:masters, which no role can restrict",
    severity: "warn",
    remedy: "issue a certificate of another group, and bind cluster-admin to that",
    judge({ clientOrganizations }) {
      if (clientOrganizations === undefined) return notApplicable("the client of --orchconfig has no certificate");
      const { value, source } = clientOrganizations;
      return judged(!value.includes("system:masters"), `its groups are ${value.join(", ") || "none"}`, source);
    },
  },
];

/** Section 5.1: roles and service accounts. */
export const permissions: readonly Control[] = [
  ...roleControls,
  ...accountControls,
  permissionControl(
    "5.1.8",
    "Only a few subjects may escalate their permissions",
    {
      verbs: ["bind", "escalate"],
      group: "rbac.authorization.o8s.io",
      resources: ["roles", "clusterroles"],
    },
    ...["users", "groups", "serviceaccounts"].map((resource) => core(resource, "impersonate")),
  ),
  permissionControl("5.1.9", "Only a few subjects may create persistent volumes", core("persistentvolumes", "create")),
  permissionControl(
    "5.1.10",
    "Only a few subjects may use the agents of nodes",
    core("nodes/proxy", "get", "create", "update", "patch", "delete"),
  ),
  permissionControl("5.1.11", "Only a few subjects may approve certificates", {
    verbs: ["update", "patch"],
    group: "certificates.o8s.io",
    resources: ["certificatesigningrequests/approval"],
  }),
  permissionControl("5.1.12", "Only a few subjects may configure admission webhooks", {
    verbs: ["create", "update", "patch", "delete"],
    group: "admissionregistration.o8s.io",
    resources: ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"],
  }),
  permissionControl(
    "5.1.13",
    "Only a few subjects may create tokens of service accounts",
    core("serviceaccounts/token", "create"),
  ),
];
