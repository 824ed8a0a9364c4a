import { loadCredentials } from "@orchernetes/client";
import { reviewCredentials } from "../../webhook/endpoint-of-config-file.ts";
import type { ReviewEndpoint } from "../../webhook/review-client.ts";

/** Returns the credentials with which the API server authenticates to the webhook at `host:port`. */
export type WebhookCredentials = (hostPort: string) => Omit<ReviewEndpoint, "endpoint">;

/**
 * Reads credentials from a client configuration file. The names of its users are the servers for which they are used: `host:port`,
 * `*.example.com:port` for all hosts of a domain, both without `:443`, or `*` for all servers. If none matches, the user of the current
 * context is used.
 *
 * @param path if it is empty, there are no credentials
 * @throws ClientConfigError with all errors at once
 */
export function webhookCredentials(path: string): WebhookCredentials {
  if (path === "") return () => ({});
  const { users, current } = loadCredentials(path);
  return (hostPort) => {
    const name = namesFor(hostPort).find((one) => users.has(one));
    const found = name === undefined ? current : users.get(name);
    return found === undefined ? {} : reviewCredentials(found);
  };
}

/** Returns the names of users that match a server, most specific first. */
function namesFor(hostPort: string): readonly string[] {
  const withDomains = (name: string): readonly string[] => {
    const [, ...labels] = name.split(".");
    return [name, ...labels.map((_, index) => `*.${labels.slice(index).join(".")}`)];
  };
  const host = hostPort.endsWith(":443") ? hostPort.slice(0, -":443".length) : undefined;
  return [...withDomains(hostPort), ...(host === undefined ? [] : withDomains(host)), "*"];
}
