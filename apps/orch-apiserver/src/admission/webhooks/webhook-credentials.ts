import { loadCredentials } from "@orchernetes/client";
import { reviewCredentials } from "../../webhook/endpoint-of-config-file.ts";
import type { ReviewEndpoint } from "../../webhook/review-client.ts";

/** How the server shows itself to the webhook at `host:port`. */
export type WebhookCredentials = (hostPort: string) => Omit<ReviewEndpoint, "endpoint">;

/**
 * The credentials in a client configuration file, whose users are named after the servers that they are for: `host:port`,
 * `*.example.com:port` for all hosts of a domain, the same without `:443`, or `*` for all servers. If none fits, the user of the
 * current context counts.
 *
 * @param path "": the server shows itself to no webhook
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

/** Names of users for a server, the most specific ones first. */
function namesFor(hostPort: string): readonly string[] {
  const withDomains = (name: string): readonly string[] => {
    const [, ...labels] = name.split(".");
    return [name, ...labels.map((_, index) => `*.${labels.slice(index).join(".")}`)];
  };
  const host = hostPort.endsWith(":443") ? hostPort.slice(0, -":443".length) : undefined;
  return [...withDomains(hostPort), ...(host === undefined ? [] : withDomains(host)), "*"];
}
