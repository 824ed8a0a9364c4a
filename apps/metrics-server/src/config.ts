import { parseLabelSelector, type Selector } from "@orchernetes/apimachinery";
import type { ClientConfig } from "@orchernetes/client";
import { ConfigurationError, type FlagValues, flagFile, NamedFiles, readServingFiles } from "@orchernetes/component";
import { readClients } from "@orchernetes/leader-election";
import type { metricsServerFlags } from "./flags/index.ts";

/** The parsed flags of metrics-server. */
export type Flags = FlagValues<typeof metricsServerFlags>;

/** Everything the daemon needs, checked. */
export interface Config {
  readonly flags: Flags;
  readonly client: ClientConfig;
  /** From `--authentication-orchconfig`. */
  readonly tokenReviewClient: ClientConfig | undefined;
  /** From `--authorization-orchconfig`. */
  readonly accessReviewClient: ClientConfig | undefined;
  /** From `--node-selector`. */
  readonly nodeSelector: Selector;
}

/**
 * Flags → clients and selector, all errors at once.
 *
 * @throws ConfigurationError
 */
export async function completeConfig(flags: Flags): Promise<Config> {
  const files = new NamedFiles();
  const { errors } = files;
  errors.push(...combinationErrors(flags));
  const { client, ...reviewClients } = await readClients(files, flags, flagFile(flags, "orchconfig"));
  await files.bundle(flagFile(flags, "orchlet-certificate-authority"));
  await files.pair(flagFile(flags, "orchlet-client-certificate"), flagFile(flags, "orchlet-client-key"));
  await readServingFiles(files, flags, "metrics-server");
  if (errors.length > 0 || client === undefined) throw new ConfigurationError(errors);
  return { flags, client, ...reviewClients, nodeSelector: parseLabelSelector(flags["node-selector"]) };
}

/** What no single flag can be wrong about. */
function combinationErrors(flags: Flags): readonly string[] {
  const errors: string[] = [];
  if (flags["orchlet-certificate-authority"] !== "" && flags["orchlet-insecure-tls"])
    errors.push(
      "--orchlet-certificate-authority and --orchlet-insecure-tls exclude each other; want at most one of them",
    );
  const timeoutMs = flags["orchlet-request-timeout"];
  const mostMs = (flags["metric-resolution"] * 9) / 10;
  if (timeoutMs > mostMs)
    errors.push(
      `--orchlet-request-timeout: found ${timeoutMs / 1000}s; want at most nine tenths of --metric-resolution, ${mostMs / 1000}s`,
    );
  return errors;
}
