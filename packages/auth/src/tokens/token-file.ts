import type { Connection } from "@orchernetes/kernel";
import type { UserInfo } from "../user.ts";
import { tokenDigest } from "./secrets.ts";
import type { TokenAuthenticator } from "./token-authenticator.ts";

/** All errors of a token file; none of them quotes a token. */
export class TokenFileError extends Error {
  override readonly name = "TokenFileError";
  /** One line each. */
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.join("\n"));
    this.errors = errors;
  }
}

/** Splits a line of comma-separated values. A field in double quotes may contain commas, and quotes that are doubled. */
function splitFields(line: string): readonly string[] | undefined {
  const fields: string[] = [];
  let at = 0;
  while (at <= line.length) {
    if (line[at] === '"') {
      let text = "";
      for (at++; ; at++) {
        if (at >= line.length) return undefined;
        if (line[at] !== '"') text += line[at];
        else if (line[at + 1] === '"') text += line[at++];
        else break;
      }
      fields.push(text);
      at++;
      if (at < line.length && line[at] !== ",") return undefined;
      at++;
    } else {
      const comma = line.indexOf(",", at);
      const end = comma === -1 ? line.length : comma;
      fields.push(line.slice(at, end).trim());
      at = end + 1;
    }
    if (at === line.length && line.endsWith(",")) fields.push("");
    if (at >= line.length) break;
  }
  return fields;
}

/**
 * Parses `token,user,uid[,"group1,group2"]` lines; blank lines and lines that start with # are skipped.
 *
 * @param origin name of the file in errors
 * @returns users by {@link tokenDigest}
 * @throws TokenFileError
 */
export function parseTokenFile(text: string, origin: string): ReadonlyMap<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  const errors: string[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const where = `${origin}, line ${index + 1}`;
    const fields = splitFields(line);
    const [token, name, uid, groups] = fields ?? [];
    if (fields === undefined) errors.push(`${where}: a quoted field does not end; write "" for a quote inside quotes`);
    else if (fields.length < 3)
      errors.push(`${where}: found ${fields.length} fields; a line is token,user name,user uid[,"group1,group2"]`);
    else if (!token) errors.push(`${where}: the token (first field) is empty`);
    else if (!name) errors.push(`${where}: the user name (second field) is empty`);
    else if (users.has(tokenDigest(token)))
      errors.push(`${where}: the token of user "${name}" is already used in an earlier line`);
    else
      users.set(tokenDigest(token), {
        name,
        uid: uid ?? "",
        groups: groups
          ? groups
              .split(",")
              .map((g) => g.trim())
              .filter(Boolean)
          : [],
        extra: {},
      });
  }
  if (errors.length > 0) throw new TokenFileError(errors);
  return users;
}

/** Authenticates the tokens of `--token-auth-file`, and tracks the connections that used them. */
export interface TokenFileAuthenticator extends TokenAuthenticator {
  /** Whether a token that authenticated requests of the connection has been removed from the file, or belongs to another user now. */
  hasLostTrust(connection: Connection): boolean;
}

/** @param users by digest of the token, as {@link parseTokenFile} reads them; called for each request, since the file may change */
export function tokenFileAuthenticator(users: () => ReadonlyMap<string, UserInfo>): TokenFileAuthenticator {
  const shown = new WeakMap<Connection, Map<string, UserInfo>>();
  return {
    authenticateToken(token, _audiences, connection) {
      const digest = tokenDigest(token);
      const user = users().get(digest);
      if (user === undefined) return { type: "noOpinion" };
      if (connection !== undefined) {
        const known = shown.get(connection) ?? new Map<string, UserInfo>();
        shown.set(connection, known.set(digest, user));
      }
      return { type: "authenticated", user };
    },
    hasLostTrust(connection) {
      for (const [digest, user] of shown.get(connection) ?? []) {
        const now = users().get(digest);
        if (now === undefined || !isSameUser(now, user)) return true;
      }
      return false;
    },
  };
}

const isSameUser = (a: UserInfo, b: UserInfo): boolean =>
  a.name === b.name &&
  a.uid === b.uid &&
  a.groups.length === b.groups.length &&
  a.groups.every((group, index) => group === b.groups[index]);
