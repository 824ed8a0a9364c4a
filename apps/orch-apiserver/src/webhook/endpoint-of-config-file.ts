import { loadClientConfig, tokenFromFile } from "@orchernetes/client";
import type { ReviewEndpoint } from "./review-client.ts";

/**
 * Reads where a service is and how it is spoken to from a client configuration file: the server of its current context, with the
 * authorities and credentials, which are read again when their files change.
 *
 * @throws ClientConfigError with all errors at once
 */
export function endpointOfConfigFile(path: string): ReviewEndpoint {
  const { server, tls, token, tokenFile, basicAuth } = loadClientConfig(path);
  const followed = tokenFile === undefined ? undefined : tokenFromFile(tokenFile);
  const credential = followed === undefined ? token : () => followed.current();
  return {
    endpoint: server,
    ...(tls !== undefined && { tls: typeof tls === "function" ? tls : () => tls }),
    ...(credential !== undefined && { token: credential }),
    ...(basicAuth !== undefined && { basicAuth }),
  };
}
