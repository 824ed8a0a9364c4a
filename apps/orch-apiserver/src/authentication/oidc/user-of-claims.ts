import type { UserInfo } from "@orchernetes/auth";

/** The claims of an ID token that name the user and the groups: the `--oidc-*` flags. */
export interface ClaimSettings {
  readonly issuer: string;
  readonly usernameClaim: string;
  /** If it is empty, the prefix is the URL of the issuer and `#`, or none for claim `email`; `-` means no prefix. */
  readonly usernamePrefix: string;
  /** If it is empty, users have no groups. */
  readonly groupsClaim: string;
  readonly groupsPrefix: string;
  /** Claims that a token must have, with their values. */
  readonly requiredClaims: Readonly<Record<string, string>>;
}

type Claims = Readonly<Record<string, unknown>>;

/** An own property: claims come from the issuer and may be named like properties of Object. */
const own = (claims: unknown, name: string): unknown =>
  typeof claims === "object" && claims !== null && Object.hasOwn(claims, name) ? (claims as Claims)[name] : undefined;

const shown = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** Returns the user of a verified ID token, or an error in the words of upstream's `oidc` plugin. */
export function userOfClaims(claims: Claims, settings: ClaimSettings): UserInfo | { readonly error: string } {
  const name = usernameOf(claims, settings);
  if (typeof name !== "string") return name;
  const groups = groupsOf(claims, settings);
  if ("error" in groups) return groups;
  for (const [claim, want] of Object.entries(settings.requiredClaims)) {
    const found = own(claims, claim);
    if (found === undefined) return { error: `oidc: required claim ${claim} not present in ID token` };
    if (found !== want)
      return {
        error: `oidc: required claim ${claim} value does not match. Got = ${shown(found)}, want = ${shown(want)}`,
      };
  }
  return { name, groups, extra: {} };
}

/** Returns the user name, with the prefix that keeps users of different issuers apart. */
function usernameOf(claims: Claims, settings: ClaimSettings): string | { readonly error: string } {
  const { issuer, usernameClaim, usernamePrefix } = settings;
  const name = own(claims, usernameClaim);
  if (typeof name !== "string")
    return { error: `oidc: parse username claims ${shown(usernameClaim)}: found ${shown(name)}, want a string` };
  if (usernameClaim === "email") {
    // If the issuer does not say whether it has verified the address, the address is accepted (as upstream).
    const verified = own(claims, "email_verified");
    if (verified !== undefined && verified !== true)
      return { error: `oidc: email not verified: email_verified is ${shown(verified)}` };
  }
  if (usernamePrefix === "-") return name;
  if (usernamePrefix !== "") return usernamePrefix + name;
  return usernameClaim === "email" ? name : `${issuer}#${name}`;
}

/** Returns the groups, with their prefix. The claim may be a text or a list of texts. */
function groupsOf(
  claims: Claims,
  { groupsClaim, groupsPrefix }: ClaimSettings,
): readonly string[] | { readonly error: string } {
  if (groupsClaim === "") return [];
  const found = own(claims, groupsClaim);
  if (found === undefined && own(own(claims, "_claim_names"), groupsClaim) !== undefined)
    return {
      error: `oidc: claim ${shown(groupsClaim)} is distributed: the token refers to another address for it, and such claims are not fetched; have the issuer put the groups into the token`,
    };
  if (found === undefined || found === null) return [];
  const groups = typeof found === "string" ? [found] : found;
  if (!Array.isArray(groups) || groups.some((group) => typeof group !== "string"))
    return { error: `oidc: parse groups claim ${shown(groupsClaim)}: want a string or a list of strings` };
  return groups.map((group: string) => groupsPrefix + group);
}
