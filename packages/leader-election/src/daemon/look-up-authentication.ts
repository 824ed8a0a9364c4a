import type { ApiObject } from "@orchernetes/apimachinery";
import { type Client, type ClientConfig, createClient, createInformer, type ResourceRef } from "@orchernetes/client";
import { type ClusterAuthentication, createClusterAuthentication } from "@orchernetes/daemon-server";
import { type Clock, type Logger, messageOf, systemClock } from "@orchernetes/kernel";

interface AuthenticationObject extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
}

const NAMESPACE = "orch-system";
const NAME = "extension-apiserver-authentication";
const PLACE = `ConfigMap ${NAMESPACE}/${NAME}`;
const configMaps: ResourceRef<AuthenticationObject> = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  scope: "Namespaced",
};

/** Time for the API server to respond and to publish the ConfigMap, and time between attempts; both in milliseconds. */
const LOOK_UP_TIMEOUT_MS = 10_000;
const RETRY_MS = 250;

/** The options of {@link lookUpAuthentication}. */
export interface LookUpOptions {
  /** Client configuration from `--authentication-orchconfig`; undefined without the flag. */
  readonly client: ClientConfig | undefined;
  readonly flags: {
    readonly "authentication-skip-lookup": boolean;
    readonly "authentication-tolerate-lookup-failure": boolean;
    readonly "client-ca-file": string;
    readonly "requestheader-client-ca-file": string;
  };
  readonly userAgent: string;
  readonly logger: Logger;
  /** Ends the look-up and the watch for changes. */
  readonly signal: AbortSignal;
  /** @default systemClock */
  readonly clock?: Clock;
}

/**
 * Reads which certificate authorities the API server accepts for clients and for front proxies, and follows changes.
 * A daemon needs these to authenticate requests that are proxied to it or sent by users. The API server publishes
 * them in the ConfigMap `extension-apiserver-authentication`.
 *
 * Flags take precedence over the ConfigMap.
 *
 * @returns undefined if there is nothing to look up: flags set both authorities, the look-up is switched off, or
 *   there is no client for it
 * @throws Error when the look-up fails and failures are not tolerated
 */
export async function lookUpAuthentication(options: LookUpOptions): Promise<ClusterAuthentication | undefined> {
  const { client: config, flags, userAgent, logger, signal } = options;
  const { "authentication-skip-lookup": skips, "authentication-tolerate-lookup-failure": tolerates } = flags;
  const isGiven = flags["client-ca-file"] !== "" && flags["requestheader-client-ca-file"] !== "";
  if (skips || isGiven) return undefined;
  if (config === undefined) {
    logger
      .v(2)
      ?.info(`Client authorities are not looked up in ${PLACE}, because --authentication-orchconfig is not set`);
    return undefined;
  }
  const client = createClient({ ...config, userAgent, logger });
  signal.addEventListener("abort", () => client.close(), { once: true });
  const cluster = createClusterAuthentication();
  try {
    cluster.publish((await readSettings(client, options)).data ?? {});
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!tolerates) {
      client.close();
      throw new Error(
        `unable to look up authentication settings in ${PLACE}: ${messageOf(error)}; --authentication-tolerate-lookup-failure continues without them`,
        { cause: error },
      );
    }
    const message =
      "Continuing without authentication settings of the cluster; all requests may be treated as anonymous";
    logger.warn(message, { error: messageOf(error) });
  }
  followChanges(client, options, (data) => cluster.publish(data));
  return cluster;
}

/** Reads the ConfigMap. Retries, because an API server that has just started may not have published it yet. */
async function readSettings(
  client: Client,
  { logger, signal, clock = systemClock }: Pick<LookUpOptions, "logger" | "signal" | "clock">,
): Promise<AuthenticationObject> {
  for (const untilMs = clock.monotonicMs() + LOOK_UP_TIMEOUT_MS; ; ) {
    try {
      return await client.resource(configMaps).namespace(NAMESPACE).get(NAME, { signal });
    } catch (error) {
      if (signal.aborted || clock.monotonicMs() >= untilMs) throw error;
      logger.v(4)?.info("Authentication settings could not be looked up, trying again", { error: messageOf(error) });
      await clock.sleep(RETRY_MS, signal);
    }
  }
}

/** Calls `publish` for each change until the signal aborts. */
function followChanges(
  client: Client,
  { logger, signal, clock = systemClock }: Pick<LookUpOptions, "logger" | "signal" | "clock">,
  publish: (data: Readonly<Record<string, string>>) => void,
): void {
  const selection = { namespace: NAMESPACE, fieldSelector: `metadata.name=${NAME}` };
  const informer = createInformer(client, configMaps, { ...selection, logger, clock });
  const changed = ({ metadata, data = {} }: AuthenticationObject): void => {
    if (metadata.name !== NAME) return;
    try {
      publish(data);
    } catch (error) {
      logger.error(error, `${PLACE} is invalid; its last valid content stays in effect`);
    }
  };
  informer.addHandler({ onAdd: changed, onUpdate: (_, object) => changed(object) });
  void informer.run(signal);
}
