import type { CloudProvider } from "../provider/cloud-provider.ts";
import { guardProvider } from "../provider/guard-provider.ts";
import type { CloudProviderModule, ProviderOptions } from "./provider-module.ts";

/** How the provider of {@link runWithCloud} is made and used. */
export interface RunWithCloudOptions extends Omit<ProviderOptions, "signal"> {
  /** Undefined: there is no provider, and the work runs without one. */
  readonly module: CloudProviderModule | undefined;
  /** `--allow-untagged-cloud`. */
  readonly allowUntagged: boolean;
  /** Whether the provider's own work runs, too. Of several uses in one process only one may. */
  readonly withOwnWork: boolean;
  readonly work: (cloud: CloudProvider | undefined, signal: AbortSignal) => Promise<void>;
}

/**
 * Makes the provider, and runs the work with it, guarded, until the signal aborts or one of them fails.
 *
 * @throws Error of the provider or of the work; or if the cloud cannot tell this cluster's things from others'
 */
export async function runWithCloud(options: RunWithCloudOptions, signal: AbortSignal): Promise<void> {
  const { module, client, config, logger, clock, work } = options;
  if (module === undefined) return work(undefined, signal);
  const made = await unlessAborted((async () => module.create({ client, config, logger, clock, signal }))(), signal);
  if (made === undefined) return;
  try {
    if (made.hasClusterID === false) {
      if (!options.allowUntagged) {
        throw new Error(
          "no ClusterID found. A ClusterID is required for the cloud provider to function properly. This check can be bypassed by setting the allow-untagged-cloud option",
        );
      }
      logger.warn(
        "detected a cluster without a ClusterID. A ClusterID will be required in the future. Please tag your cluster to avoid any future issues",
      );
    }
    logger.info("Using the cloud provider", { provider: made.name });
    const cloud = guardProvider(made, {
      clock,
      onEnd: ({ operation, code, durationMs }) =>
        logger.v(code === "OK" ? 4 : 2)?.info("Called the cloud provider", { operation, code, durationMs }),
    });
    const own = made.run?.bind(made);
    await runTogether(
      [(until) => work(cloud, until), ...(options.withOwnWork && own !== undefined ? [own] : [])],
      signal,
    );
  } finally {
    await made.close?.();
  }
}

/** The provider, or undefined if the signal aborts first: a provider that comes later is closed. */
async function unlessAborted(making: Promise<CloudProvider>, signal: AbortSignal): Promise<CloudProvider | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const onAbort = (): void => aborted.resolve(undefined);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const made = await Promise.race([making, aborted.promise]);
    if (made === undefined) making.then((late) => late.close?.()).catch(() => undefined);
    return made;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Runs all until the signal aborts or one of them fails; resolves or rejects when all have ended. */
export async function runTogether(
  runs: readonly ((signal: AbortSignal) => Promise<void>)[],
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const until = AbortSignal.any([signal, failed.signal]);
  const results = await Promise.allSettled(
    runs.map(async (run) => {
      try {
        await run(until);
      } catch (error) {
        failed.abort();
        throw error;
      }
    }),
  );
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
