import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { Informer } from "@orchernetes/client";
import type { ManagerShell } from "../../shared/define-controller.ts";
import { secrets } from "../../shared/refs.ts";

/** A secret of type `bootstrap.orchernetes.io/token`, which lets nodes join. */
export type TokenSecret = Stored<core.Secret>;

const SECRET_TYPE = "bootstrap.orchernetes.io/token";
const NAME = /^bootstrap-token-([a-z0-9]{6})$/;
/** RFC 3339, as the expiration is written. */
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** The informer of the bootstrap tokens, which are in `orch-system`. */
export const tokenSecrets = (shell: ManagerShell): Informer<core.Secret> =>
  shell.ownInformer(secrets, { namespace: "orch-system", fieldSelector: `type=${SECRET_TYPE}` });

const text = ({ data }: TokenSecret, key: string): string => Buffer.from(data?.[key] ?? "", "base64").toString("utf8");

/**
 * When a token expires, in milliseconds since 1970; undefined: never. A time that cannot be read is in the past, because nobody
 * may have meant the token to live forever.
 */
export function expirationMs(secret: TokenSecret): number | undefined {
  const expiration = text(secret, "expiration");
  if (expiration === "") return undefined;
  const time = TIME.test(expiration) ? Date.parse(expiration) : Number.NaN;
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}

/** A token that signs the cluster's information. */
export interface SigningToken {
  readonly id: string;
  readonly secret: string;
}

/** The token of a secret if it signs, whether or not it has expired; undefined for other secrets. */
export function signingToken(secret: TokenSecret): SigningToken | undefined {
  const [, id] = NAME.exec(secret.metadata.name) ?? [];
  const code = text(secret, "token-secret");
  if (id === undefined || text(secret, "token-id") !== id || code === "") return undefined;
  return text(secret, "usage-bootstrap-signing") === "true" ? { id, secret: code } : undefined;
}
