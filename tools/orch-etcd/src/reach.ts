import { EtcdTransport } from "@orchernetes/storage/transfer";
import type { Values } from "./options.ts";

/** The servers' URLs. @throws Error when there are none */
export function serversOf({ etcdServers }: Values): readonly string[] {
  const servers = etcdServers
    .split(",")
    .map((server) => server.trim())
    .filter((server) => server !== "");
  if (servers.length === 0)
    throw new Error(`--etcd-servers="${etcdServers}" names no server; give URLs such as https://10.0.0.1:2379`);
  for (const server of servers)
    if (!URL.canParse(server.includes("://") ? server : `http://${server}`))
      throw new Error(`--etcd-servers: "${server}" is no URL; give one such as https://10.0.0.1:2379`);
  return servers;
}

/** Makes calls to one server, or to those that answer of all of them. */
export async function withEtcd<T>(
  values: Values,
  servers: readonly string[],
  use: (transport: EtcdTransport) => Promise<T>,
): Promise<T> {
  const { etcdCafile, etcdCertfile, etcdKeyfile, timeout } = values;
  if (!(timeout > 0)) throw new Error(`--timeout=${timeout} is no number of seconds above 0`);
  if ((etcdCertfile === undefined) !== (etcdKeyfile === undefined))
    throw new Error("--etcd-certfile and --etcd-keyfile belong together: give both, or neither");
  const transport = new EtcdTransport({
    servers,
    requestTimeoutMs: timeout * 1000,
    ...(etcdCafile === undefined ? {} : { caFile: etcdCafile }),
    ...(etcdCertfile === undefined ? {} : { certFile: etcdCertfile }),
    ...(etcdKeyfile === undefined ? {} : { keyFile: etcdKeyfile }),
  });
  try {
    return await use(transport);
  } finally {
    transport.close();
  }
}

/** @throws Error when the folder was not given */
export function embeddedPath({ embeddedStorePath }: Values): string {
  if (embeddedStorePath === undefined || embeddedStorePath === "")
    throw new Error("--embedded-store-path is needed: the folder of the embedded store");
  return embeddedStorePath;
}

/** The prefix without a slash at the end. @throws Error for none */
export function prefixOf({ etcdPrefix }: Values): string {
  const prefix = etcdPrefix.replace(/\/+$/, "");
  if (!prefix.startsWith("/"))
    throw new Error(`--etcd-prefix="${etcdPrefix}" must begin with a slash and name a folder, such as /registry`);
  return prefix;
}
