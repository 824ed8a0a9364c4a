/** What one `group/resource#server;server` says. */
export interface StoreOverride {
  /** `group/resource`; the core group is empty, as in `/events`. */
  readonly resource: string;
  readonly servers: readonly string[];
}

const SERVER = /^https?:\/\/[^/]+$/;

/** Reads `--etcd-servers-overrides`. `error` is called for each part that cannot be used. */
export function parseOverrides(texts: readonly string[], error: (text: string) => void): readonly StoreOverride[] {
  const overrides: StoreOverride[] = [];
  for (const text of texts) {
    const [resource = "", list = "", ...rest] = text.split("#");
    const servers = list.split(";");
    if (
      rest.length > 0 ||
      !/^[^/]*\/[^/]+$/.test(resource) ||
      !servers.every((server) => SERVER.test(server) && URL.canParse(server))
    )
      error(
        `found ${JSON.stringify(text)}; an override is group/resource#servers with semicolons between the servers, such as ` +
          '"/events#http://127.0.0.1:4002;http://127.0.0.1:4003"',
      );
    else if (overrides.some((other) => other.resource === resource))
      error(`${JSON.stringify(resource)} is given twice`);
    else overrides.push({ resource, servers });
  }
  return overrides;
}
