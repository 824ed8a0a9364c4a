import type { StrategyContext } from "@orchernetes/apimachinery";

/** What validation may know beyond the object: whether privileged containers and gated features are allowed. */
export type ValidationContext = Pick<StrategyContext, "allowPrivileged" | "featureEnabled">;
