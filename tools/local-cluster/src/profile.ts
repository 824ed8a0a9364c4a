import type { Layout } from "./layout.ts";
import type { ClusterState, NodeState } from "./state.ts";

/** Values of flags by name, which are added to those of every cluster. */
export type ExtraFlags = Readonly<Record<string, string | number | boolean>>;

/** Certificates that a profile makes beside those of every cluster, or in another form. */
export interface PkiVariant {
  /** Organizations of the administrator's certificate. */
  readonly adminOrganizations: readonly string[];
  /** Further clients of the API server, by the name of their files. */
  readonly clients: readonly {
    readonly name: string;
    readonly commonName: string;
    readonly organizations: readonly string[];
  }[];
  /** Whether nodes get serving certificates from this tool; otherwise they request them. */
  readonly servesNodes: boolean;
  /** Whether nodes request their client certificates with a bootstrap token; otherwise this tool issues the first ones. */
  readonly joinsNodes: boolean;
}

/** A running cluster, for the parts of a profile that use its API. */
export interface ProfileTarget {
  readonly files: Layout;
  readonly state: ClusterState;
}

/** How a cluster is secured: flags and files of its daemons, and what is created in it. */
export interface Profile {
  readonly name: "default" | "hardened";
  /** The store if `--store` is not given. */
  readonly store: "embedded" | "etcd";
  readonly pki: PkiVariant;
  /** Name of the client certificate with which this tool sets up the cluster. */
  readonly operator: string;
  /**
   * Writes the files that {@link Profile.flags} name. Files that exist and hold keys are kept.
   *
   * @throws Error when a file cannot be written
   */
  prepare(files: Layout): void;
  flags(
    daemon: "orch-apiserver" | "orch-controller-manager" | "orch-scheduler" | "metrics-server",
    files: Layout,
  ): ExtraFlags;
  /** Fields of a node agent's configuration; undefined removes one of every cluster's. */
  agentFields(): Readonly<Record<string, unknown>>;
  /** Hints for the user that depend on this machine, a line each. */
  notes(): readonly string[];
  /** What {@link Profile.setUp} does, for the user. */
  readonly setUpTitle: string;
  /** Sets up what is in the API. Called when the API server is ready; idempotent. @throws Error with the server's answer */
  setUp(target: ProfileTarget): Promise<void>;
  /** Finishes a node after its agent was started; resolves when the node can be used. @throws Error after a minute */
  finishNode(target: ProfileTarget, node: NodeState): Promise<void>;
  /** Does what an administrator has to do from time to time, in a cluster that runs already. @throws Error */
  maintain(target: ProfileTarget): Promise<void>;
}
