import { readFileSync } from "node:fs";
import path from "node:path";
import { yamlError } from "@orchernetes/apimachinery";
import { parseDocument } from "yaml";

/** A cluster of the file, with absolute paths. */
interface ClusterEntry {
  readonly server: string;
  readonly caFile?: string;
  readonly caData?: Buffer;
  readonly insecure: boolean;
  readonly tlsServerName?: string;
}

/** A user of the file, with absolute paths. */
export interface UserEntry {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly certFile?: string;
  readonly certData?: Buffer;
  readonly keyFile?: string;
  readonly keyData?: Buffer;
  readonly username?: string;
  readonly password?: string;
  readonly impersonate?: { readonly user: string; readonly groups: readonly string[]; readonly uid?: string };
}

/** The cluster, user and namespace of the context in use. */
export interface ClientConfigFile {
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  /** Default namespace of the context. */
  readonly namespace?: string;
}

/**
 * A client configuration file cannot be used. `message` has all errors, one per line, each with the place in the file
 * and what would be accepted; credentials are not quoted.
 */
export class ClientConfigError extends Error {
  override readonly name = "ClientConfigError";
  readonly errors: readonly string[];

  /** @param errors one line each */
  constructor(errors: readonly string[]) {
    super(errors.join("\n"));
    this.errors = errors;
  }
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Describes a value for error messages. A user's values may be secrets and errors are logged, so only their type is named. */
function shown(where: string, value: unknown): string {
  if (!where.startsWith("users")) return JSON.stringify(value);
  if (typeof value !== "object") return `a ${typeof value} (not shown; quote it if it is text)`;
  return value === null ? "nothing" : Array.isArray(value) ? "a list" : "an object";
}

/** Reads values of the expected types from a parsed document, and collects the errors. */
class Reader {
  readonly errors: string[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  report(where: string, problem: string): void {
    this.errors.push(`${JSON.stringify(this.#file)}: ${where === "" ? "" : `${where}: `}${problem}`);
  }

  /** A text; undefined if it is missing or empty, which mean the same in a kubeconfig. */
  string(from: Json, where: string, key: string): string | undefined {
    const value = from[key];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string") return value;
    this.report(`${where}.${key}`, `expected text, found ${shown(where, value)}`);
    return undefined;
  }

  bool(from: Json, where: string, key: string): boolean {
    const value = from[key] ?? false;
    if (typeof value === "boolean") return value;
    this.report(`${where}.${key}`, `expected true or false, found ${shown(where, value)}`);
    return false;
  }

  /**
   * The absolute path of a readable file. It is read here so that a wrong path is reported with its place in the
   * configuration, and not at the first request.
   */
  path(from: Json, where: string, key: string): string | undefined {
    const value = this.string(from, where, key);
    if (value === undefined) return undefined;
    const absolute = path.resolve(path.dirname(this.#file), value);
    try {
      readFileSync(absolute);
    } catch (error) {
      this.report(`${where}.${key}`, `cannot read ${JSON.stringify(absolute)}: ${reasonOf(error)}`);
    }
    return absolute;
  }

  base64(from: Json, where: string, key: string): Buffer | undefined {
    const value = this.string(from, where, key);
    if (value === undefined) return undefined;
    // Buffer.from ignores invalid characters, so they are looked for before.
    if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(value)) {
      this.report(`${where}.${key}`, "expected base64");
      return undefined;
    }
    return Buffer.from(value, "base64");
  }

  /** The entry called `name` of a list of `{ name, [key]: … }`. */
  named(document: Json, list: string, key: string, name: string, askedBy: string): Json | undefined {
    const entries = document[list] ?? [];
    if (!Array.isArray(entries)) {
      this.report(list, `expected a list, found ${shown(list, entries)}`);
      return undefined;
    }
    const names: string[] = [];
    for (const entry of entries) {
      if (!isObject(entry) || typeof entry.name !== "string") continue;
      names.push(entry.name);
      if (entry.name !== name) continue;
      const value = entry[key] ?? {};
      if (isObject(value)) return value;
      this.report(`${list}[${JSON.stringify(name)}].${key}`, `expected an object, found ${shown(list, value)}`);
      return undefined;
    }
    const known = names.length === 0 ? "there are none" : `there are ${names.map((n) => JSON.stringify(n)).join(", ")}`;
    this.report(askedBy, `no entry of ${list} is called ${JSON.stringify(name)}; ${known}`);
    return undefined;
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && "code" in error && error.code === "ENOENT" ? "no such file" : String(error);

/**
 * Reads a client configuration file: the schema of a kubeconfig (clusters, users, contexts, current-context), YAML or
 * JSON. Relative paths start at the file's folder. Users with `exec` or `auth-provider` are not supported.
 *
 * The checks are not a zod schema: every daemon reads such a file at its start, orch-controller-manager loads no
 * schema otherwise, and zod takes 100 ms of CPU time and 19 MB from the sources, 6 MB in a bundle.
 *
 * @param file path of the file
 * @param context the context to use instead of `current-context`
 * @throws ClientConfigError with all errors at once
 */
export function readClientConfigFile(file: string, context?: string): ClientConfigFile {
  const reader = new Reader(file);
  const document = parse(file, reader);
  const contextName = context ?? reader.string(document, "", "current-context");
  if (reader.errors.length === 0 && contextName === undefined) {
    reader.report("current-context", "missing: expected the name of an entry of contexts");
  }
  const chosen =
    contextName === undefined
      ? undefined
      : reader.named(document, "contexts", "context", contextName, "current-context");
  const where = `contexts[${JSON.stringify(contextName)}].context`;
  const clusterName = chosen && reader.string(chosen, where, "cluster");
  const userName = chosen && reader.string(chosen, where, "user");
  if (chosen !== undefined && clusterName === undefined) {
    reader.report(`${where}.cluster`, "missing: expected the name of an entry of clusters");
  }
  const cluster =
    clusterName === undefined ? undefined : readCluster(reader, document, clusterName, `${where}.cluster`);
  const user = userName === undefined ? {} : readUser(reader, document, userName, `${where}.user`);
  const namespace = chosen && reader.string(chosen, where, "namespace");
  if (reader.errors.length > 0 || cluster === undefined) throw new ClientConfigError(reader.errors);
  return { cluster, user, ...(namespace === undefined ? {} : { namespace }) };
}

/** The users of a file, by name. */
export interface UsersFile {
  readonly users: ReadonlyMap<string, UserEntry>;
  /** The user of the current context, if there is one. */
  readonly current: UserEntry | undefined;
}

/**
 * Reads the users of a client configuration file, for a client of many servers that chooses one by the server's name,
 * such as the caller of admission webhooks. Clusters are not read, and contexts only for the user of the current one.
 *
 * @throws ClientConfigError with all errors at once
 */
export function readUsersFile(file: string): UsersFile {
  const reader = new Reader(file);
  const document = parse(file, reader);
  const entries: readonly unknown[] = Array.isArray(document.users) ? document.users : [];
  if ((document.users ?? undefined) !== undefined && !Array.isArray(document.users))
    reader.report("users", `expected a list, found ${shown("users", document.users)}`);
  const users = new Map<string, UserEntry>();
  for (const entry of entries) {
    if (!isObject(entry) || typeof entry.name !== "string" || users.has(entry.name)) continue;
    users.set(entry.name, readUser(reader, document, entry.name, "users"));
  }
  const context = reader.string(document, "", "current-context");
  const chosen =
    context === undefined ? undefined : reader.named(document, "contexts", "context", context, "current-context");
  const name = chosen && reader.string(chosen, `contexts[${JSON.stringify(context)}].context`, "user");
  if (reader.errors.length > 0) throw new ClientConfigError(reader.errors);
  return { users, current: name === undefined ? undefined : users.get(name) };
}

function parse(file: string, reader: Reader): Json {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    reader.report("", `cannot be read: ${reasonOf(error)}; expected a readable client configuration`);
    throw new ClientConfigError(reader.errors);
  }
  const parsed = parseDocument(text, { schema: "core", merge: false });
  for (const error of parsed.errors) reader.report("", `is not valid YAML: ${yamlError(error)}`);
  if (reader.errors.length > 0) throw new ClientConfigError(reader.errors);
  let value: unknown;
  try {
    // Aliases have no use here, and nested ones can expand a small file to gigabytes.
    value = parsed.toJS({ maxAliasCount: 0 });
  } catch (error) {
    reader.report("", `is not valid YAML: ${yamlError(error)}`);
    throw new ClientConfigError(reader.errors);
  }
  if (!isObject(value)) {
    reader.report("", "expected a client configuration (an object with clusters, users and contexts)");
    throw new ClientConfigError(reader.errors);
  }
  return value;
}

function readCluster(reader: Reader, document: Json, name: string, askedBy: string): ClusterEntry | undefined {
  const entry = reader.named(document, "clusters", "cluster", name, askedBy);
  if (entry === undefined) return undefined;
  const where = `clusters[${JSON.stringify(name)}].cluster`;
  const server = reader.string(entry, where, "server");
  if (server === undefined || !/^https?:\/\/[^/]/.test(server) || !URL.canParse(server)) {
    reader.report(
      `${where}.server`,
      `expected a URL such as https://127.0.0.1:6443, found ${JSON.stringify(server ?? null)}`,
    );
  }
  const caData = reader.base64(entry, where, "certificate-authority-data");
  const caFile = caData === undefined ? reader.path(entry, where, "certificate-authority") : undefined;
  const insecure = reader.bool(entry, where, "insecure-skip-tls-verify");
  // An authority that is never used would make the connection look safe.
  if (insecure && (caData !== undefined || caFile !== undefined)) {
    reader.report(`${where}.insecure-skip-tls-verify`, "excludes certificate-authority and certificate-authority-data");
  }
  if (reader.string(entry, where, "proxy-url") !== undefined) {
    reader.report(`${where}.proxy-url`, "proxies are not supported");
  }
  const tlsServerName = reader.string(entry, where, "tls-server-name");
  return {
    server: server ?? "",
    insecure,
    ...(caData === undefined ? {} : { caData }),
    ...(caFile === undefined ? {} : { caFile }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
  };
}

function readUser(reader: Reader, document: Json, name: string, askedBy: string): UserEntry {
  const entry = reader.named(document, "users", "user", name, askedBy);
  if (entry === undefined) return {};
  const where = `users[${JSON.stringify(name)}].user`;
  // Ignoring these would send requests as system:anonymous, with an error that does not name the cause.
  for (const key of ["exec", "auth-provider"]) {
    if (entry[key] !== undefined && entry[key] !== null) {
      reader.report(
        `${where}.${key}`,
        "credential plugins are not supported; use a token, tokenFile or client certificate",
      );
    }
  }
  const certData = reader.base64(entry, where, "client-certificate-data");
  const certFile = certData === undefined ? reader.path(entry, where, "client-certificate") : undefined;
  const keyData = reader.base64(entry, where, "client-key-data");
  const keyFile = keyData === undefined ? reader.path(entry, where, "client-key") : undefined;
  const hasCert = certData !== undefined || certFile !== undefined;
  const hasKey = keyData !== undefined || keyFile !== undefined;
  if (hasCert !== hasKey) {
    reader.report(
      where,
      `a client ${hasCert ? "certificate" : "key"} needs its ${hasCert ? "key" : "certificate"} beside it`,
    );
  }
  const token = reader.string(entry, where, "token");
  const tokenFile = reader.path(entry, where, "tokenFile");
  const username = reader.string(entry, where, "username");
  const password = reader.string(entry, where, "password");
  const as = reader.string(entry, where, "as");
  const uid = reader.string(entry, where, "as-uid");
  const groups = entry["as-groups"];
  return {
    ...(certData === undefined ? {} : { certData }),
    ...(certFile === undefined ? {} : { certFile }),
    ...(keyData === undefined ? {} : { keyData }),
    ...(keyFile === undefined ? {} : { keyFile }),
    // The token file has precedence, because it is the one that is rotated.
    ...(token === undefined || tokenFile !== undefined ? {} : { token }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(as === undefined
      ? {}
      : {
          impersonate: {
            user: as,
            groups: Array.isArray(groups) ? groups.filter((group) => typeof group === "string") : [],
            ...(uid === undefined ? {} : { uid }),
          },
        }),
  };
}
