import { EtcdTransport } from "@orchernetes/storage/transfer";
import type { Values } from "./options.ts";

/** Parses `--etcd-servers`. @throws Error if it is empty or has a part that is not a URL */
export function serversOf({ etcdServers }: Values): readonly string[] {
  const servers = etcdServers
    .split(",")
    .map((server) => server.trim())
    .filter((server) => server !== "");
  if (servers.length === 0)
    throw new Error(`--etcd-servers="${etcdServers}" has no server; want URLs such as https://10.0.0.1:2379`);
  for (const server of servers)
    if (!URL.canParse(server.includes("://") ? server : `http://${server}`))
      throw new Error(`--etcd-servers: "${server}" is not a URL; want one such as https://10.0.0.1:2379`);
  return servers;
}

/** Runs `use` with a transport to these servers, and closes it. @throws Error for invalid options, or that of `use` */
export async function withEtcd<T>(
  values: Values,
  servers: readonly string[],
  use: (transport: EtcdTransport) => Promise<T>,
): Promise<T> {
  const { etcdCafile, etcdCertfile, etcdKeyfile, timeout } = values;
  if (!(timeout > 0)) throw new Error(`--timeout=${timeout} is not a number of seconds above 0`);
  if ((etcdCertfile === undefined) !== (etcdKeyfile === undefined))
    throw new Error("--etcd-certfile and --etcd-keyfile belong together; want both or neither");
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

/** The directory of the embedded store. @throws Error if it is not given */
export function embeddedPath({ embeddedStorePath }: Values): string {
  if (embeddedStorePath === undefined || embeddedStorePath === "")
    throw new Error("--embedded-store-path is required: the directory of the embedded store");
  return embeddedStorePath;
}

/** The prefix without a slash at the end. @throws Error for a prefix that is not a path */
export function prefixOf({ etcdPrefix }: Values): string {
  const prefix = etcdPrefix.replace(/\/+$/, "");
  if (!prefix.startsWith("/"))
    throw new Error(`--etcd-prefix="${etcdPrefix}" must start with a slash and have a name, such as /registry`);
  return prefix;
}
