import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { noPlan, type Plan } from "@orchernetes/controller";
import { NAME_ANNOTATION, type TokenSecret, UID_ANNOTATION } from "./token-secret.ts";

/** A secret and the service account that it names, either of which may be gone. */
export interface TokenState {
  readonly secret: TokenSecret | undefined;
  readonly account: Stored<core.ServiceAccount> | undefined;
  /** The name of the secret. */
  readonly name: string;
  /** Authorities by which holders of the token verify the API server, PEM; undefined: secrets keep what they have. */
  readonly rootCa: string | undefined;
}

/** What is done about a secret. */
export type TokenAction =
  | { readonly type: "Delete"; readonly secret: TokenSecret }
  /** `data` is what to set, in base64; the token is not in it. */
  | {
      readonly type: "Fill";
      readonly secret: TokenSecret;
      readonly account: Stored<core.ServiceAccount>;
      readonly data: Readonly<Record<string, string>>;
      readonly needsToken: boolean;
    }
  /** The service account no longer lists the secret. */
  | { readonly type: "Unlist"; readonly account: Stored<core.ServiceAccount> };

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/**
 * Fills in what a secret lacks, or replaces the authorities in it; deletes it when its service account is gone. A secret that is
 * gone is removed from the list of its service account. Pure.
 */
export function reconcile({ secret, account, name, rootCa }: TokenState): Plan<TokenAction> {
  if (secret === undefined) {
    const listed = account?.secrets?.some((reference) => reference.name === name) ?? false;
    return account !== undefined && listed ? { actions: [{ type: "Unlist", account }] } : noPlan;
  }
  if (account === undefined) return { actions: [{ type: "Delete", secret }] };
  const data: Record<string, string> = {};
  const lacks = (key: string): boolean => (secret.data?.[key] ?? "") === "";
  if (rootCa !== undefined && secret.data?.["ca.crt"] !== base64(rootCa)) data["ca.crt"] = base64(rootCa);
  if (lacks("namespace")) data.namespace = base64(secret.metadata.namespace ?? "");
  const needsToken = lacks("token");
  if (!needsToken && Object.keys(data).length === 0) return noPlan;
  return { actions: [{ type: "Fill", secret, account, data, needsToken }] };
}

/** The secret with what it lacked; it names its service account by its uid from now on. */
export function filled(
  secret: TokenSecret,
  account: Stored<core.ServiceAccount>,
  data: Readonly<Record<string, string>>,
): TokenSecret {
  const { name, uid } = account.metadata;
  const annotations = { ...secret.metadata.annotations, [NAME_ANNOTATION]: name, [UID_ANNOTATION]: uid };
  return { ...secret, metadata: { ...secret.metadata, annotations }, data: { ...secret.data, ...data } };
}
