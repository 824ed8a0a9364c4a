import type { Client } from "@orchernetes/client";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { CloudProvider } from "../provider/cloud-provider.ts";
import type { CloudWebhook } from "./cloud-webhook.ts";

/** What a provider is given to work with. */
export interface ProviderOptions {
  /** A client of the API server with the identity of the manager. */
  readonly client: Client;
  /** Contents of `--cloud-config`; undefined without one. */
  readonly config: string | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Aborts when the process ends, or the work of the cloud's controllers does. */
  readonly signal: AbortSignal;
}

/** How a provider is made. A module whose path is the value of `--cloud-provider` exports one as `default`. */
export interface CloudProviderModule {
  /**
   * Makes the provider, when this process starts to lead. May wait for a cloud that cannot be reached yet, until the signal aborts.
   * An error ends the process.
   */
  create(options: ProviderOptions): CloudProvider | Promise<CloudProvider>;
  /**
   * What is wrong with the contents of `--cloud-config`, one line each; reported before anything starts.
   * @default everything is accepted
   */
  configErrors?(config: string | undefined): readonly string[] | Promise<readonly string[]>;
  /** Webhooks that cloud-controller-manager serves, by their name in `--webhooks`. @default none */
  readonly webhooks?: Readonly<Record<string, CloudWebhook>> | undefined;
}

/** Providers by name. Each is loaded when it is chosen. */
export type CloudProviderTable = Readonly<Record<string, () => Promise<CloudProviderModule>>>;
