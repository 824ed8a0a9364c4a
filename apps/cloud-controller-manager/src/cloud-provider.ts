import type { Client } from "@orchernetes/client";
import type { Logger } from "@orchernetes/kernel";

/** A loop of a provider. Runs until the signal aborts; a rejection ends the process. */
export type CloudController = (signal: AbortSignal) => Promise<void>;

/** What a provider is given to work with. */
interface CloudProviderDeps {
  readonly client: Client;
  /** Contents of `--cloud-config`; undefined without one. */
  readonly config: string | undefined;
  readonly logger: Logger;
}

/**
 * A cloud that nodes and load balancers live in. Providers are passed to the daemon in a table by name; none is built in.
 */
interface CloudProvider {
  /** Name, as in `--cloud-provider`. */
  readonly name: string;
  /**
   * Does the provider's work until the signal aborts. Called while this process leads; a rejection ends the process.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Parts of the work that can move from another manager or to one, by name: `route`, `service`, `cloud-node-lifecycle`. Each runs
   * while this process holds the lock that its name belongs to (`--enable-leader-migration`), without a migration the main lock.
   * @default none
   */
  readonly controllers?: Readonly<Record<string, CloudController>>;
}

/** Makes a provider. Throws when its configuration is faulty, with a message for the operator. */
export type CloudProviderFactory = (deps: CloudProviderDeps) => CloudProvider;

/** Providers by name. */
export type CloudProviderTable = Readonly<Record<string, CloudProviderFactory>>;

/**
 * The provider of a name, or what is wrong with the name.
 * @param origin what gave the name, for errors: a flag, or a place in a file
 */
export function lookUpProvider(
  providers: CloudProviderTable,
  name: string,
  origin = "--cloud-provider",
): { readonly factory: CloudProviderFactory } | { readonly error: string } {
  const names = Object.keys(providers).sort();
  const accepted =
    names.length === 0
      ? "this build has no cloud provider in it"
      : `want --cloud-provider=${names.join(" or --cloud-provider=")}`;
  if (name === "") return { error: `${origin} cannot be empty: ${accepted}` };
  const factory = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (factory !== undefined) return { factory };
  const error = `unknown cloud provider "${name}"`;
  return {
    error: origin.startsWith("--config:")
      ? `${origin}: ${error}; ${accepted}`
      : `${error} for flag ${origin}: ${accepted}`,
  };
}
