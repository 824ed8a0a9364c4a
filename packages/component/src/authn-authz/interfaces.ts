import type { HttpRequest } from "@orchernetes/kernel";

/** Who makes a request. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Finds out who makes a request. Answers undefined when the request bears no credentials of its kind; rejects with
 * {@link InvalidCredentialsError} when it bears ones that are not valid, and with any other error when it cannot tell.
 */
export interface Authenticator {
  authenticate(request: HttpRequest, signal: AbortSignal): Promise<UserInfo | undefined>;
}

/** Credentials were presented and are not valid. */
export class InvalidCredentialsError extends Error {
  override readonly name = "InvalidCredentialsError";
}

/** What a request wants to do. */
export type Attributes =
  | { readonly kind: "path"; readonly user: UserInfo; readonly verb: string; readonly path: string }
  | {
      readonly kind: "resource";
      readonly user: UserInfo;
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    };

/** `Allow` and `Deny` are final; with `NoOpinion` the next authorizer is asked, and none is left: refused. */
export type Decision = "Allow" | "Deny" | "NoOpinion";

/** Decides whether a request may be made. Rejects when it cannot tell; the request is then refused. */
export interface Authorizer {
  authorize(
    attributes: Attributes,
    signal: AbortSignal,
  ): Promise<{ readonly decision: Decision; readonly reason: string }>;
}

/** The user of requests without credentials. */
export const anonymousUser: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** Asks authenticators in order until one knows the user. The first error is kept if none does. */
export function unionAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  return {
    async authenticate(request, signal) {
      const errors: unknown[] = [];
      for (const authenticator of authenticators) {
        try {
          const user = await authenticator.authenticate(request, signal);
          if (user !== undefined) return user;
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
      return undefined;
    },
  };
}

/** Asks authorizers in order until one decides. An error counts as no opinion and is told as the reason. */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return {
    async authorize(attributes, signal) {
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        try {
          const { decision, reason } = await authorizer.authorize(attributes, signal);
          if (decision !== "NoOpinion") return { decision, reason };
          if (reason !== "") reasons.push(reason);
        } catch (error) {
          reasons.push(error instanceof Error ? error.message : String(error));
        }
      }
      return { decision: "NoOpinion", reason: reasons.join("; ") };
    },
  };
}
