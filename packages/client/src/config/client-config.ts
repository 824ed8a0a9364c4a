import { readFileSync } from "node:fs";
import path from "node:path";
import { messageOf } from "@orchernetes/kernel";
import type { ClientOptions } from "../client.ts";
import { type ClientTls, reloading } from "../transport/credentials.ts";
import { ClientConfigError, readClientConfigFile, readUsersFile, type UserEntry } from "./client-config-file.ts";

/** The part of {@link ClientOptions} that says where the server is and who the client is. */
export type ClientConfig = Pick<
  ClientOptions,
  "server" | "tls" | "token" | "tokenFile" | "basicAuth" | "impersonate"
> & {
  /** The namespace of the context, if it has one. */
  readonly namespace?: string;
  /** The files that the TLS material is read from, for error messages. Material without a file is part of the configuration. */
  readonly tlsFiles?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
};

/** Overrides of the settings in a client configuration file. */
export interface LoadClientConfigOptions {
  /** Address to use instead of the file's (`--master`). */
  readonly masterOverride?: string;
  /** Context to use instead of the current one. */
  readonly context?: string;
}

/**
 * Reads client options from a client configuration file (the format of a kubeconfig). Files that it names for certificates, keys,
 * authorities and tokens are read again when they change.
 *
 * @param file its path; "" is allowed when `masterOverride` is given, and then there are no credentials
 * @throws ClientConfigError with all errors at once
 */
export function loadClientConfig(file: string, options: LoadClientConfigOptions = {}): ClientConfig {
  const { masterOverride, context } = options;
  if (file === "") {
    if (masterOverride) return { server: masterOverride };
    throw new ClientConfigError(["no client configuration file and no server address is given"]);
  }
  const { cluster, user, namespace } = readClientConfigFile(file, context);
  const { username, password = "", token, tokenFile, impersonate } = user;
  return {
    server: masterOverride || cluster.server,
    tls: tlsOf(
      {
        ...(cluster.caFile === undefined ? {} : { caFile: cluster.caFile }),
        ...(cluster.caData === undefined ? {} : { caData: cluster.caData }),
        insecure: cluster.insecure,
        ...(cluster.tlsServerName === undefined ? {} : { serverName: cluster.tlsServerName }),
      },
      user,
    ),
    ...(token === undefined ? {} : { token }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(username === undefined ? {} : { basicAuth: { username, password } }),
    ...(impersonate === undefined ? {} : { impersonate }),
    ...(namespace === undefined ? {} : { namespace }),
    ...tlsFilesOf(cluster.caFile, user),
  };
}

function tlsFilesOf(
  ca: string | undefined,
  { certFile: cert, keyFile: key }: UserEntry,
): Pick<ClientConfig, "tlsFiles"> {
  if (ca === undefined && cert === undefined && key === undefined) return {};
  return { tlsFiles: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) } };
}

/** How a client authenticates itself to a server. */
export type ClientCredentials = Pick<ClientConfig, "tls" | "token" | "tokenFile" | "basicAuth">;

/** Credentials for servers of many names, by the name of the user in the file. */
export interface CredentialsByName {
  readonly users: ReadonlyMap<string, ClientCredentials>;
  /** Those of the current context, if it has a user. */
  readonly current: ClientCredentials | undefined;
}

/**
 * Reads the credentials of all users of a client configuration file. Files that it names are read again when they
 * change.
 *
 * @throws ClientConfigError with all errors at once; impersonation is an error, because other servers than the API
 *   server ignore its headers
 */
export function loadCredentials(file: string): CredentialsByName {
  const { users, current } = readUsersFile(file);
  const errors = [...users].flatMap(([name, { impersonate }]) =>
    impersonate === undefined
      ? []
      : [`${JSON.stringify(file)}: users[${JSON.stringify(name)}].user.as: impersonation is not supported here`],
  );
  if (errors.length > 0) throw new ClientConfigError(errors);
  const all = new Map([...users].map(([name, user]) => [name, credentialsOf(user)]));
  return { users: all, current: current && credentialsOf(current) };
}

function credentialsOf(user: UserEntry): ClientCredentials {
  const { username, password = "", token, tokenFile } = user;
  const hasCertificate = user.certFile !== undefined || user.certData !== undefined;
  return {
    ...(hasCertificate && { tls: tlsOf({ insecure: false }, user) }),
    ...(token !== undefined && { token }),
    ...(tokenFile !== undefined && { tokenFile }),
    ...(username !== undefined && { basicAuth: { username, password } }),
  };
}

/** Directory of the service account's credentials in every pod. */
const serviceAccountDir = "/var/run/secrets/orchernetes.io/serviceaccount";

/**
 * Returns client options for a process in a pod of the cluster: the address from the variables
 * `ORCHERNETES_SERVICE_HOST` and `ORCHERNETES_SERVICE_PORT`, token and authority from the volume of the service
 * account. The orchlet rotates the token, so its file is followed.
 *
 * @param env @default process.env
 * @param dir folder of `token` and `ca.crt` @default /var/run/secrets/orchernetes.io/serviceaccount
 * @throws ClientConfigError when the process does not run in a pod
 */
export function inClusterConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  dir: string = serviceAccountDir,
): ClientConfig {
  const host = env.ORCHERNETES_SERVICE_HOST;
  const port = env.ORCHERNETES_SERVICE_PORT;
  if (!host || !port) {
    throw new ClientConfigError([
      "not in a cluster: ORCHERNETES_SERVICE_HOST and ORCHERNETES_SERVICE_PORT must both be set",
    ]);
  }
  const tokenFile = path.join(dir, "token");
  const caFile = path.join(dir, "ca.crt");
  const errors: string[] = [];
  for (const file of [tokenFile, caFile]) {
    try {
      readFileSync(file);
    } catch (error) {
      errors.push(`${file}: cannot be read: ${messageOf(error)}`);
    }
  }
  if (errors.length > 0) throw new ClientConfigError(errors);
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    tls: tlsOf({ caFile, insecure: false }, {}),
    tokenFile,
  };
}

interface Trust {
  readonly caFile?: string;
  readonly caData?: Buffer;
  readonly insecure: boolean;
  readonly serverName?: string;
}

function tlsOf(trust: Trust, user: UserEntry): () => ClientTls {
  const files = [trust.caFile, user.certFile, user.keyFile].filter((file) => file !== undefined);
  const load = (): ClientTls => {
    const ca = trust.caFile === undefined ? trust.caData : readFileSync(trust.caFile);
    const cert = user.certFile === undefined ? user.certData : readFileSync(user.certFile);
    const key = user.keyFile === undefined ? user.keyData : readFileSync(user.keyFile);
    return {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(trust.insecure ? { insecure: true } : {}),
      ...(trust.serverName === undefined ? {} : { serverName: trust.serverName }),
    };
  };
  // Always the same object: the transport opens new connections when it gets a different one.
  if (files.length === 0) {
    const fixed = load();
    return () => fixed;
  }
  const followed = reloading(files, load);
  return () => followed.current();
}
