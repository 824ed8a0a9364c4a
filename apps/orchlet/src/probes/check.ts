import type { core } from "@orchernetes/api";

/**
 * The result of a check of a container. `unknown` means that the check could not be performed, so it neither fails nor
 * passes the probe. A success may have a warning for users.
 */
export type CheckResult =
  | { readonly outcome: "success"; readonly warning?: string }
  | { readonly outcome: "failure"; readonly message: string }
  | { readonly outcome: "unknown"; readonly message: string };

/** The container to check. */
export interface CheckTarget {
  readonly containerId: string;
  readonly container: core.Container;
  readonly podIP: string;
}
