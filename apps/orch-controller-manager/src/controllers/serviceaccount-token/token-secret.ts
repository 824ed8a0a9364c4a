import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";

/** A secret that keeps a token of a service account. */
export type TokenSecret = Stored<core.Secret>;

/** Type of the secrets that keep tokens of service accounts. */
export const SECRET_TYPE = "orchernetes.io/service-account-token";
/** Annotation with the name of the service account. */
export const NAME_ANNOTATION = "orchernetes.io/service-account.name";
/** Annotation with the uid of the service account. */
export const UID_ANNOTATION = "orchernetes.io/service-account.uid";

/** What is known about a secret when it changes, also after it has been deleted. */
export interface SecretKey {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly accountName: string;
  /** "" in secrets that do not name it. */
  readonly accountUid: string;
}

/** The key of a secret; undefined if it names no service account. */
export function secretKeyOf({ metadata }: TokenSecret): SecretKey | undefined {
  const { namespace = "", name, uid, annotations } = metadata;
  const accountName = annotations?.[NAME_ANNOTATION] ?? "";
  return accountName === ""
    ? undefined
    : { namespace, name, uid, accountName, accountUid: annotations?.[UID_ANNOTATION] ?? "" };
}

/** Whether a key is about a service account. */
export const isOf = ({ accountName, accountUid }: SecretKey, name: string, uid: string): boolean =>
  accountName === name && (accountUid === "" || accountUid === uid);

/** A key as an item of a work queue: equal keys are equal strings. Annotations may hold any character. */
export const encodeKey = (key: SecretKey): string =>
  JSON.stringify([key.namespace, key.name, key.uid, key.accountName, key.accountUid]);

/** The key that was encoded. */
export function decodeKey(text: string): SecretKey {
  const [namespace = "", name = "", uid = "", accountName = "", accountUid = ""] = JSON.parse(text) as string[];
  return { namespace, name, uid, accountName, accountUid };
}
