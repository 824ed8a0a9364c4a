import { parseServiceAccountUserName, serviceAccountUserName } from "@orchernetes/apimachinery";

/** Issuer of the tokens that are kept in secrets. */
export const LEGACY_ISSUER = "orchernetes/serviceaccount";

const PREFIX = "orchernetes.io/serviceaccount";
const NAMESPACE = `${PREFIX}/namespace`;
const SECRET = `${PREFIX}/secret.name`;
const ACCOUNT = `${PREFIX}/service-account.name`;
const UID = `${PREFIX}/service-account.uid`;

/** The claims of a token that is kept in a secret: its service account and its secret. */
export interface LegacyClaims {
  readonly namespace: string;
  readonly secretName: string;
  readonly serviceAccountName: string;
  readonly serviceAccountUid: string;
}

/** Returns the claims of a token for a secret as they are in the JSON Web Token. The token has no audience and does not expire. */
export function legacyClaimsFor(claims: LegacyClaims): Readonly<Record<string, string>> {
  return {
    iss: LEGACY_ISSUER,
    sub: serviceAccountUserName(claims.namespace, claims.serviceAccountName),
    [NAMESPACE]: claims.namespace,
    [SECRET]: claims.secretName,
    [ACCOUNT]: claims.serviceAccountName,
    [UID]: claims.serviceAccountUid,
  };
}

/** Parses such claims; the error says which claim is missing or contradicts the others. */
export function parseLegacyClaims(
  payload: Readonly<Record<string, unknown>>,
): LegacyClaims | { readonly error: string } {
  const text = (key: string): string => {
    const value = payload[key];
    return typeof value === "string" ? value : "";
  };
  const namespace = text(NAMESPACE);
  const secretName = text(SECRET);
  const serviceAccountName = text(ACCOUNT);
  const serviceAccountUid = text(UID);
  const named = { sub: text("sub"), namespace, secretName, serviceAccountName, serviceAccountUID: serviceAccountUid };
  for (const [name, value] of Object.entries(named)) if (value === "") return { error: `${name} claim is missing` };
  const subject = parseServiceAccountUserName(named.sub);
  if (subject?.namespace !== namespace || subject.name !== serviceAccountName) return { error: "sub claim is invalid" };
  return { namespace, secretName, serviceAccountName, serviceAccountUid };
}
