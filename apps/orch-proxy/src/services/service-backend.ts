import type { ServiceChange, ServiceRules } from "@orchernetes/proxy";
import type { Mode } from "../nft/choose-mode.ts";

/** What serves the services of {@link ServiceRules} on this host. */
export interface ServiceBackend {
  readonly mode: Mode;
  /**
   * Brings the host to the state of the rules.
   * @param change what has changed since the last call
   * @throws Error when that failed; the next call brings it there, whatever its change is
   */
  apply(rules: ServiceRules, change: ServiceChange): Promise<void>;
  /** Ends what this process does itself. Rules of the packet filter stay: connections go on without the daemon. */
  close(): Promise<void>;
}
