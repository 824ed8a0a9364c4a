import type { core } from "@orchernetes/api";
import { isNotFound } from "@orchernetes/apimachinery";
import type { ResourceStore } from "@orchernetes/apiserver";
import { isSameSecret, type TokenAuthenticator, type TokenResult } from "@orchernetes/auth";
import type { Logger } from "@orchernetes/kernel";

const NAMESPACE = "orch-system";
const SECRET_TYPE = "bootstrap.orchernetes.io/token";
const NAME_PREFIX = "bootstrap-token-";
const GROUP = "system:bootstrappers";

/** `id.secret`. The id is public: it is part of the name of the secret. */
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
/** Only groups below `system:bootstrappers`, so that the writer of such a secret cannot grant other groups. */
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
/** The form of an expiration, RFC 3339. */
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Options of {@link bootstrapTokenAuthenticator}. */
export interface BootstrapTokenOptions {
  readonly secrets: Pick<ResourceStore<core.Secret>, "cached" | "get">;
  readonly now: () => Date;
  readonly logger: Pick<Logger, "info">;
}

const unknown: TokenResult = Object.freeze({ type: "noOpinion" });

/**
 * Authenticates bootstrap tokens, `<id>.<secret>`, with which nodes join a cluster. They are stored in secrets
 * `orch-system/bootstrap-token-<id>`. The user is `system:bootstrap:<id>` in group `system:bootstrappers` and in the extra groups of the
 * secret. The reason why a token is not accepted is logged, but not sent to the client.
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

/** Reads a secret from the store; undefined if it does not exist. The cache may not have a secret that was just created. */
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

/** The parts of a token, and the time of the request. */
interface Presented {
  readonly id: string;
  readonly code: string;
  readonly now: Date;
}

/** Returns the groups of the user of a token, or the reason why the secret does not accept the token. */
export function groupsOf(secret: core.Secret, { id, code, now }: Presented): readonly string[] | string {
  const data = (key: string): string => Buffer.from(secret.data?.[key] ?? "", "base64").toString("utf8");
  if (secret.metadata.deletionTimestamp !== undefined) return "the secret is being deleted";
  if (secret.type !== SECRET_TYPE)
    return `its type is ${JSON.stringify(secret.type)}, want ${JSON.stringify(SECRET_TYPE)}`;
  if (!isSameSecret(Buffer.from(data("token-secret")), Buffer.from(code))) return "token-secret is different";
  if (data("token-id") !== id)
    return `token-id is ${JSON.stringify(data("token-id"))}, and the secret is named after another`;
  const expiration = data("expiration");
  if (expiration !== "" && !(TIME.test(expiration) && Date.parse(expiration) > now.getTime()))
    return `expiration is ${JSON.stringify(expiration)}; want a time (RFC 3339) in the future`;
  if (data("usage-bootstrap-authentication") !== "true")
    return `usage-bootstrap-authentication is ${JSON.stringify(data("usage-bootstrap-authentication"))}, want "true"`;
  return groupList(data("auth-extra-groups"));
}

/** Returns the groups of a token, sorted and without duplicates, or the reason why one of them is not allowed. */
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
