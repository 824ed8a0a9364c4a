import { ApiError, unauthorized } from "@orchernetes/apimachinery";
import { type Logger, messageOf } from "@orchernetes/kernel";
import type { Authenticator, AuthRequest, AuthResult } from "./authenticators/authenticator.ts";
import { anonymousUser, type UserInfo, withAuthenticatedGroup } from "./user.ts";

/** Adds the group of authenticated users. It returns the same object for the same user, because later filters cache by object. */
function groupAdder(): (user: UserInfo) => UserInfo {
  const known = new WeakMap<UserInfo, UserInfo>();
  return (user) => {
    let member = known.get(user);
    if (member === undefined) {
      member = withAuthenticatedGroup(user);
      known.set(user, member);
    }
    return member;
  };
}

/** Receives what authenticators report about a request in addition to the user. */
export interface RequestNotes {
  readonly warn: (message: string) => void;
  readonly annotate: (key: string, value: string) => void;
}

/** Options of {@link Authentication}. */
export interface AuthenticationOptions {
  /** Asked in this order. */
  readonly authenticators: readonly Authenticator[];
  /** Whether requests without credentials are served as `system:anonymous`. */
  readonly anonymous: boolean;
  readonly logger: Pick<Logger, "warn">;
}

/** 401 for credentials that do not hold, or could not be checked; a request without any gets another ApiError Unauthorized. */
export class CredentialsRejected extends ApiError {
  constructor() {
    super(unauthorized().status);
  }
}

/**
 * Determines the user of a request by asking authenticators in order; the first that accepts the credentials decides. Invalid credentials
 * do not end the search, since the request may have others. If none are valid, the request is rejected; it never becomes anonymous.
 */
export class Authentication {
  readonly #options: AuthenticationOptions;
  readonly #withGroup = groupAdder();

  constructor(options: AuthenticationOptions) {
    this.#options = options;
  }

  /**
   * Returns the user of a request, synchronously if all authenticators decide synchronously.
   *
   * @throws ApiError Unauthorized, CredentialsRejected
   */
  authenticate(request: AuthRequest, notes: RequestNotes): UserInfo | Promise<UserInfo> {
    return this.#from(request, notes, 0, undefined);
  }

  #from(
    request: AuthRequest,
    notes: RequestNotes,
    start: number,
    rejection: string | undefined,
  ): UserInfo | Promise<UserInfo> {
    const { authenticators } = this.#options;
    let refused = rejection;
    for (let i = start; i < authenticators.length; i++) {
      const result = ask(authenticators[i], request);
      if (result instanceof Promise) {
        const before = refused;
        return result.then(
          (late) => this.#judge(late, notes) ?? this.#from(request, notes, i + 1, before ?? reasonOf(late)),
          (error: unknown) => this.#from(request, notes, i + 1, before ?? reasonOf(failed(error))),
        );
      }
      const user = this.#judge(result, notes);
      if (user !== undefined) return user;
      refused ??= reasonOf(result);
    }
    if (refused !== undefined) {
      this.#options.logger.warn("Unable to authenticate the request", { reason: refused });
      throw new CredentialsRejected();
    }
    if (!this.#options.anonymous) throw unauthorized();
    return anonymousUser;
  }

  #judge(result: AuthResult, notes: RequestNotes): UserInfo | undefined {
    if (result.type === "rejected") return undefined;
    if (result.warnings !== undefined) for (const text of result.warnings) notes.warn(text);
    if (result.type === "noOpinion") return undefined;
    if (result.annotations !== undefined)
      for (const [key, value] of Object.entries(result.annotations)) notes.annotate(key, value);
    return this.#withGroup(result.user);
  }
}

function ask(authenticator: Authenticator | undefined, request: AuthRequest): AuthResult | Promise<AuthResult> {
  try {
    return authenticator?.authenticate(request) ?? { type: "noOpinion" };
  } catch (error) {
    return failed(error);
  }
}

const reasonOf = (result: AuthResult): string | undefined => (result.type === "rejected" ? result.reason : undefined);

/** An authenticator that throws has not authenticated the request. */
const failed = (error: unknown): AuthResult => ({
  type: "rejected",
  reason: messageOf(error),
});
