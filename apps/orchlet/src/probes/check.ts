import type { core } from "@orchernetes/api";

/** How a check of a container went. `unknown`: it could not be made; that says nothing about the container. */
export type CheckResult =
  | { readonly outcome: "success" }
  | { readonly outcome: "failure"; readonly message: string }
  | { readonly outcome: "unknown"; readonly message: string };

/** What a check is made on. */
export interface CheckTarget {
  readonly containerId: string;
  readonly container: core.Container;
  readonly podIP: string;
}
