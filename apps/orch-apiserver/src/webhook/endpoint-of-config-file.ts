import { type ClientCredentials, loadClientConfig, tokenFromFile } from "@orchernetes/client";
import type { ReviewEndpoint } from "./review-client.ts";

/**
 * Reads where a service is and how it is spoken to from a client configuration file: the server of its current context, with the
 * authorities and credentials, which are read again when their files change.
 *
 * @throws ClientConfigError with all errors at once
 */
export function endpointOfConfigFile(path: string): ReviewEndpoint {
  const config = loadClientConfig(path);
  return { endpoint: config.server, ...reviewCredentials(config) };
}

/** How a review client shows itself with the credentials of a client configuration file. */
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
