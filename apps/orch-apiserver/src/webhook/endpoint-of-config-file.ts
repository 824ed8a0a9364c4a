import { type ClientCredentials, loadClientConfig, tokenFromFile } from "@orchernetes/client";
import type { ReviewEndpoint } from "./review-client.ts";

/**
 * Reads the endpoint of a service from a client configuration file: the server of its current context with its authorities and the
 * credentials of the user, which are reloaded when their files change.
 *
 * @throws ClientConfigError with all errors of the file
 */
export function endpointOfConfigFile(path: string): ReviewEndpoint {
  const config = loadClientConfig(path);
  return { endpoint: config.server, ...reviewCredentials(config) };
}

/** Converts the credentials of a client configuration file to those of a review client. */
export function reviewCredentials({
  tls,
  token,
  tokenFile,
  basicAuth,
}: ClientCredentials): Omit<ReviewEndpoint, "endpoint"> {
  const followed = tokenFile === undefined ? undefined : tokenFromFile(tokenFile);
  const credential = followed === undefined ? token : () => followed.current();
  return {
    ...(tls !== undefined && { tls: typeof tls === "function" ? tls : () => tls }),
    ...(credential !== undefined && { token: credential }),
    ...(basicAuth !== undefined && { basicAuth }),
  };
}
