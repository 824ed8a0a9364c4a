import { serviceAccountUserName } from "@orchernetes/apimachinery";

/** The object that a token is bound to: when the object is deleted, the token becomes invalid. */
export interface BoundObject {
  readonly kind: "Pod" | "Secret";
  readonly name: string;
  readonly uid: string;
}

/** The service account of a token, and the object that the token is bound to. */
export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly bound?: BoundObject;
}

/** The claims of an issued token, as the JSON Web Token carries them. Times are seconds since 1970. */
export interface TokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly nbf: number;
  readonly "orchernetes.io": {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
    readonly pod?: { readonly name: string; readonly uid: string };
    readonly secret?: { readonly name: string; readonly uid: string };
    /** After this time the token is still valid, but its uses are counted as stale: its client should have renewed it. */
    readonly warnafter?: number;
  };
}

/** Returns the claims of a token for `subject` that is valid from now on for `lifetimeSeconds`. */
export function claimsFor(options: {
  readonly issuer: string;
  readonly subject: TokenSubject;
  readonly audiences: readonly string[];
  readonly lifetimeSeconds: number;
  readonly warnAfterSeconds?: number;
  readonly now: Date;
}): TokenClaims {
  const { subject, now } = options;
  const iat = Math.floor(now.getTime() / 1000);
  const { bound } = subject;
  return {
    iss: options.issuer,
    sub: serviceAccountUserName(subject.namespace, subject.name),
    aud: options.audiences,
    exp: iat + options.lifetimeSeconds,
    iat,
    nbf: iat,
    "orchernetes.io": {
      namespace: subject.namespace,
      ...(bound?.kind === "Pod" && { pod: { name: bound.name, uid: bound.uid } }),
      ...(bound?.kind === "Secret" && { secret: { name: bound.name, uid: bound.uid } }),
      serviceaccount: { name: subject.name, uid: subject.uid },
      ...(options.warnAfterSeconds !== undefined && { warnafter: iat + options.warnAfterSeconds }),
    },
  };
}
