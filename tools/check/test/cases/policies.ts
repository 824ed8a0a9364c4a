import type { Binding, Container, Pod, Role, RoleRule } from "../../src/evidence/evidence.ts";
import { podVariants } from "../../src/evidence/pod-variants.ts";
import type { Case, Given } from "../support.ts";

const role = (rule: RoleRule, labels: Readonly<Record<string, string>> = {}): Given => ({
  objects: { roles: [{ kind: "ClusterRole", metadata: { name: "r", labels }, rules: [rule] } satisfies Role] },
});
const rule = (group: string, resource: string, ...verbs: readonly string[]): RoleRule => ({
  apiGroups: [group],
  resources: [resource],
  verbs,
});
/** The API server's own role may allow it, another role may not. */
const permission = (number: string, one: RoleRule): Case => [
  number,
  role(one, { "orchernetes.io/bootstrapping": "rbac-defaults" }),
  role(one),
];

const binding = (name: string, kind: string, subject: string): Given => ({
  objects: {
    bindings: [
      { metadata: { name: "b" }, roleRef: { kind: "ClusterRole", name }, subjects: [{ kind, name: subject }] },
    ] satisfies Binding[],
  },
});

const pod = (container: Omit<Container, "name">, spec: Partial<Pod["spec"]> = {}, namespace = "a"): Pod => ({
  metadata: { name: "p", namespace },
  spec: { containers: [{ name: "c", ...container }], ...spec },
});
const pods = (...list: readonly Pod[]): Given => ({ objects: { pods: list } });

const everything = new Set(Object.keys(podVariants));
const rejecting = (names: ReadonlySet<string>): Given => ({ rejectedPods: new Map([["a", names]]) });
const rejected = (number: string): Case => [number, rejecting(everything), rejecting(new Set())];
/** Rejected, or admitted and not there. */
const unused = (number: string, bad: Omit<Container, "name">): Case => [
  number,
  rejecting(everything),
  { ...rejecting(new Set()), ...pods(pod(bad)) },
];

const token = { volumes: [{ projected: { sources: [{ serviceAccountToken: {} }] } }] };
const secretVariable = { env: [{ valueFrom: { secretKeyRef: {} } }] };
const namespace = (name: string) => ({ metadata: { name } });
const account = (automountServiceAccountToken: boolean): Given => ({
  objects: { serviceAccounts: [{ metadata: { name: "default", namespace: "a" }, automountServiceAccountToken }] },
});

export const policyCases: readonly Case[] = [
  ["5.1.1", binding("cluster-admin", "Group", "admins"), binding("cluster-admin", "ServiceAccount", "x")],
  permission("5.1.2", rule("", "secrets", "list")),
  permission("5.1.3", rule("apps", "*", "get")),
  permission("5.1.4", rule("", "pods", "create")),
  ["5.1.5", account(false), account(true)],
  ["5.1.6", pods(pod({}, token, "orch-system")), pods(pod({}, token))],
  [
    "5.1.7",
    { clientOrganizations: { value: ["admins"], source: "c" } },
    { clientOrganizations: { value: ["system:masters"], source: "c" } },
  ],
  permission("5.1.8", rule("rbac.authorization.o8s.io", "clusterroles", "escalate")),
  permission("5.1.9", rule("", "persistentvolumes", "create")),
  permission("5.1.10", rule("", "nodes/proxy", "get")),
  permission("5.1.11", rule("certificates.o8s.io", "certificatesigningrequests/approval", "update")),
  permission("5.1.12", rule("admissionregistration.o8s.io", "mutatingwebhookconfigurations", "*")),
  permission("5.1.13", rule("", "serviceaccounts/token", "create")),
  ...["5.2.1", "5.2.2", "5.2.3", "5.2.4", "5.2.5", "5.2.9", "5.2.11", "5.2.12", "5.2.13"].map(rejected),
  unused("5.2.6", {}),
  unused("5.2.7", { securityContext: { runAsUser: 0 } }),
  unused("5.2.8", { securityContext: { capabilities: { drop: ["KILL"] } } }),
  unused("5.2.10", { securityContext: { capabilities: { drop: ["NET_RAW"] } } }),
  ["5.3.1", { proxy: { enforcesPolicies: true, source: "s" } }, { proxy: { enforcesPolicies: false, source: "s" } }],
  [
    "5.3.2",
    { objects: { namespaces: [namespace("a")], networkPolicies: [{ metadata: { name: "p", namespace: "a" } }] } },
    { objects: { namespaces: [namespace("a"), namespace("orch-system")] } },
  ],
  ["5.4.1", pods(pod({ env: [{}] })), pods(pod(secretVariable))],
  [
    "5.5.1",
    { flags: { "orch-apiserver": "--enable-admission-plugins=ImagePolicyWebhook" } },
    { flags: { "orch-apiserver": "" } },
  ],
  [
    "5.7.1",
    { objects: { namespaces: [namespace("default"), namespace("a")], pods: [pod({}, {}, "default")] } },
    { objects: { namespaces: [namespace("default"), namespace("orch-system")], pods: [pod({}, {}, "default")] } },
  ],
  ["5.7.2", { settings: { seccompDefault: true }, ...pods(pod({})) }, pods(pod({}))],
  ["5.7.3", pods(pod({ securityContext: { privileged: false } })), pods(pod({}))],
  [
    "5.7.4",
    { objects: { services: [{ metadata: { name: "orchernetes", namespace: "default" } }] } },
    { objects: { services: [{ metadata: { name: "web", namespace: "default" } }] } },
  ],
];
