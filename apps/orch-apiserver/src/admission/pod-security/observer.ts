import type { AdmissionAttributes } from "@orchernetes/apiserver";
import type { LevelVersion, Mode } from "./policy.ts";

/** What a write is about, for metrics. */
export type Concerned = Pick<AdmissionAttributes, "operation" | "resource" | "subresource">;

/** Counts what the plugin does. */
export interface PodSecurityObserver {
  evaluated(decision: "allow" | "deny", level: LevelVersion, mode: Mode, about: Concerned): void;
  exempted(about: Concerned): void;
  /** @param fatal whether the write was not evaluated at all */
  failed(fatal: boolean, about: Concerned): void;
}
