import type { core } from "@orchernetes/api";
import { isNotFound } from "@orchernetes/apimachinery";
import type { ResourceStore } from "@orchernetes/apiserver";
import { isSameSecret, type TokenAuthenticator, type TokenResult } from "@orchernetes/auth";
import type { Logger } from "@orchernetes/kernel";

const NAMESPACE = "orch-system";
const SECRET_TYPE = "bootstrap.orchernetes.io/token";
const NAME_PREFIX = "bootstrap-token-";
const GROUP = "system:bootstrappers";

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
/** RFC 3339, as the expiration is written. */
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Options of {@link bootstrapTokenAuthenticator}. */
export interface BootstrapTokenOptions {
  readonly secrets: Pick<ResourceStore<core.Secret>, "cached" | "get">;
  readonly now: () => Date;
  readonly logger: Pick<Logger, "info">;
}

const unknown: TokenResult = Object.freeze({ type: "noOpinion" });

/**
 * Accepts bootstrap tokens, `<id>.<secret>`, of the secrets `orch-system/bootstrap-token-<id>`: the user is `system:bootstrap:<id>`
 * in `system:bootstrappers` and in the secret's extra groups. Why a token is not accepted is logged, and not told to the client.
 */
export function bootstrapTokenAuthenticator({ secrets, now, logger }: BootstrapTokenOptions): TokenAuthenticator {
  return {
    async authenticateToken(token) {
      const [, id, code] = TOKEN.exec(token) ?? [];
      if (id === undefined || code === undefined) return unknown;
      const ref = { namespace: NAMESPACE, name: NAME_PREFIX + id };
      const secret = secrets.cached(ref) ?? (await present(secrets, ref));
      if (secret === undefined) return unknown;
      const groups = groupsOf(secret, { id, code, now: now() });
      if (typeof groups !== "string")
        return { type: "authenticated", user: { name: `system:bootstrap:${id}`, groups, extra: {} } };
      logger.info("A bootstrap token is not accepted", { secret: ref.name, reason: groups });
      return unknown;
    },
  };
}

async function present(
  secrets: BootstrapTokenOptions["secrets"],
  ref: { readonly namespace: string; readonly name: string },
): Promise<core.Secret | undefined> {
  try {
    return await secrets.get(ref);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

interface Presented {
  readonly id: string;
  readonly code: string;
  readonly now: Date;
}

/** The groups of a token's user, or why the secret does not let the token authenticate. */
export function groupsOf(secret: core.Secret, { id, code, now }: Presented): readonly string[] | string {
  const data = (key: string): string => Buffer.from(secret.data?.[key] ?? "", "base64").toString("utf8");
  if (secret.metadata.deletionTimestamp !== undefined) return "the secret is being deleted";
  if (secret.type !== SECRET_TYPE)
    return `its type is ${JSON.stringify(secret.type)}, want ${JSON.stringify(SECRET_TYPE)}`;
  if (!isSameSecret(Buffer.from(data("token-secret")), Buffer.from(code))) return "token-secret is another one";
  if (data("token-id") !== id)
    return `token-id is ${JSON.stringify(data("token-id"))}, and the secret is named after another`;
  const expiration = data("expiration");
  if (expiration !== "" && !(TIME.test(expiration) && Date.parse(expiration) > now.getTime()))
    return `expiration is ${JSON.stringify(expiration)}; want a time (RFC 3339) in the future`;
  if (data("usage-bootstrap-authentication") !== "true")
    return `usage-bootstrap-authentication is ${JSON.stringify(data("usage-bootstrap-authentication"))}, want "true"`;
  return groupList(data("auth-extra-groups"));
}

function groupList(extra: string): readonly string[] | string {
  const groups = new Set([GROUP]);
  if (extra === "") return [...groups];
  for (const group of extra.split(",")) {
    if (!EXTRA_GROUP.test(group))
      return `auth-extra-groups has ${JSON.stringify(group)}; want names such as ${GROUP}:workers`;
    groups.add(group);
  }
  return [...groups].sort();
}
