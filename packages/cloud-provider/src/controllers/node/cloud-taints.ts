import type { core } from "@orchernetes/api";

/** Taint of nodes that no cloud controller has initialized yet; the node agent sets it with `--cloud-provider=external`. */
export const UNINITIALIZED_TAINT = "node.cloudprovider.orchernetes.io/uninitialized";

/** Taint of nodes whose machine is shut down. */
export const SHUTDOWN_TAINT = "node.cloudprovider.orchernetes.io/shutdown";

/** Whether a node has a taint of this key. */
export const hasTaint = ({ spec }: Pick<core.Node, "spec">, key: string): boolean =>
  spec?.taints?.some((taint) => taint.key === key) ?? false;
