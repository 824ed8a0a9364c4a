import type { CriClient } from "@orchernetes/cri";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";

/** Time between two attempts to configure the runtime. */
const retryMs = 10_000;

/** Passes the pod CIDR to the runtime, which may write its network configuration from it. */
export class PodCidr {
  readonly #cri: CriClient;
  readonly #logger: Logger;
  #known = "";

  constructor(cri: CriClient, logger: Logger) {
    this.#cri = cri;
    this.#logger = logger;
  }

  /**
   * Passes a range that differs from the last one; an empty range is ignored. Failures are logged.
   *
   * @param cidr one range, or one of each family separated by a comma
   * @returns whether the runtime has the range
   */
  async apply(cidr: string): Promise<boolean> {
    if (cidr === "" || cidr === this.#known) return true;
    try {
      await this.#cri.runtime.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr: cidr } } });
      this.#logger.info("Updating Pod CIDR", { originalPodCIDR: this.#known, newPodCIDR: cidr });
      this.#known = cidr;
      return true;
    } catch (error) {
      this.#logger.warn("Pod CIDR update failed", { podCIDR: cidr, error: messageOf(error) });
      return false;
    }
  }

  /** As {@link apply}, repeated until it succeeds or the signal aborts. */
  async keep(cidr: string, clock: Clock, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.apply(cidr))) await clock.sleep(retryMs, signal).catch(() => undefined);
  }
}
