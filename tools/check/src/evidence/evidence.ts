import type { AuditPolicyConfiguration, EncryptionEntry } from "@orchernetes/config";

/** The programs whose command lines are evidence. */
export const DAEMONS = ["orch-apiserver", "orch-controller-manager", "orch-scheduler", "etcd"] as const;
/** Name of one of them. */
export type DaemonName = (typeof DAEMONS)[number];

/** A fact, and where it was seen. */
export interface Seen<T> {
  readonly value: T;
  readonly source: string;
}

/** The flags of a running process by name; the last value of a repeated flag, unless it is a list. A flag without a value is `true`. */
export type Flags = ReadonlyMap<string, string>;

/** A running process. */
export interface DaemonFacts {
  readonly flags: Flags;
  /** User that it runs as. */
  readonly uid: number;
  readonly source: string;
}

/** The permissions of a file or folder. */
export interface FileFact {
  readonly path: string;
  /** Without the kind of file: 0o600. */
  readonly mode: number;
  readonly uid: number;
}

/** The purpose of a file. */
export type FileRole =
  | "apiserver-config"
  | "manager-config"
  | "scheduler-config"
  | "etcd-config"
  | "cni"
  | "store"
  | "admin-client"
  | "manager-client"
  | "scheduler-client"
  | "pki-folder"
  | "certificates"
  | "keys"
  | "proxy-client"
  | "agent-service"
  | "agent-client"
  | "agent-authorities"
  | "agent-config";

/** The certificate that a node's agent serves. */
export interface ServedCertificate {
  readonly selfSigned: boolean;
  /** `DNS:a, IP Address:1.2.3.4` */
  readonly names: string;
}

/** A node and its agent. */
export interface NodeFacts {
  readonly name: string;
  /** Its configuration as `/configz` shows it, durations in milliseconds; undefined if it cannot be read. */
  readonly settings: Readonly<Record<string, unknown>> | undefined;
  /** Undefined if no connection can be made. */
  readonly certificate: ServedCertificate | undefined;
  /** Undefined if the process is not visible. */
  readonly flags: Flags | undefined;
  /** Undefined if its orch-proxy cannot be asked. */
  readonly proxy: ProxyFacts | undefined;
}

/** The orch-proxy of a node. */
export interface ProxyFacts {
  readonly enforcesPolicies: boolean;
  readonly source: string;
}

/** A rule of a role. */
export interface RoleRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
}

/** The fields of an API object that controls use. */
export interface ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}
/** A role or a cluster role. */
export interface Role extends ApiObject {
  readonly kind: "Role" | "ClusterRole";
  readonly rules?: readonly RoleRule[] | null;
}
/** A role binding or a cluster role binding. */
export interface Binding extends ApiObject {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}
/** A service account. */
export interface ServiceAccount extends ApiObject {
  readonly automountServiceAccountToken?: boolean;
}
/** The security context of a pod or a container. */
export interface ContainerSecurity {
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly seccompProfile?: { readonly type: string };
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
}
/** A container of a pod. */
export interface Container {
  readonly name: string;
  readonly securityContext?: ContainerSecurity;
  readonly env?: readonly { readonly valueFrom?: { readonly secretKeyRef?: object } }[];
  readonly envFrom?: readonly { readonly secretRef?: object }[];
}
/** A pod. */
export interface Pod extends ApiObject {
  readonly spec: {
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly ephemeralContainers?: readonly Container[];
    readonly securityContext?: ContainerSecurity;
    readonly serviceAccountName?: string;
    readonly volumes?: readonly { readonly projected?: { readonly sources?: readonly object[] } }[];
  };
}

/** The objects that controls judge. Of secrets only the metadata is read. */
export interface Objects {
  readonly namespaces: readonly ApiObject[];
  readonly roles: readonly Role[];
  readonly bindings: readonly Binding[];
  readonly serviceAccounts: readonly ServiceAccount[];
  readonly pods: readonly Pod[];
  readonly services: readonly ApiObject[];
  readonly networkPolicies: readonly ApiObject[];
  /** Secrets of type service-account-token. */
  readonly tokenSecrets: readonly ApiObject[];
}

/** Everything that controls judge. A property is undefined if it could not be seen. */
export interface Evidence {
  readonly daemons: Readonly<Partial<Record<DaemonName, DaemonFacts>>>;
  readonly nodes: readonly NodeFacts[];
  readonly files: Readonly<Partial<Record<FileRole, readonly FileFact[]>>>;
  /** Status with which the API server answers a request for /version without credentials. */
  readonly anonymousStatus: number | undefined;
  /** Status with which it answers a request for /debug/pprof/ with them. */
  readonly profilingStatus: number | undefined;
  /** Names of the admission plugins that have decided about a request, from /metrics. */
  readonly activePlugins: ReadonlySet<string>;
  /** Organizations of the client certificate of --orchconfig. */
  readonly clientOrganizations: Seen<readonly string[]> | undefined;
  readonly auditPolicy: Seen<AuditPolicyConfiguration> | undefined;
  readonly encryption: Seen<readonly EncryptionEntry[]> | undefined;
  readonly objects: Objects | undefined;
  /**
   * For each namespace in which users run pods, the variants of a harmless pod that were rejected when they were created with
   * dryRun, by name. A namespace that rejects even the harmless pod is not in the map.
   */
  readonly rejectedPods: ReadonlyMap<string, ReadonlySet<string>>;
}
