import { unauthorized } from "@orchernetes/apimachinery";
import type { HttpRequest, Logger } from "@orchernetes/kernel";
import type { Authenticator, AuthResult, UserInfo } from "../interfaces/index.ts";

/** Who a request without credentials is. */
export const anonymousUser: UserInfo = Object.freeze({
  name: "system:anonymous",
  groups: Object.freeze(["system:unauthenticated"]),
  extra: Object.freeze({}),
});

const authenticatedGroup = "system:authenticated";

/**
 * Every known user is in `system:authenticated`; the anonymous one is not. The same user object gives the same one back, since
 * later filters remember what they found out per object.
 */
function groupAdder(): (user: UserInfo) => UserInfo {
  const known = new WeakMap<UserInfo, UserInfo>();
  return (user) => {
    if (user.groups.includes(authenticatedGroup) || user.groups.includes("system:unauthenticated")) return user;
    let member = known.get(user);
    if (member === undefined) {
      member = { ...user, groups: [...user.groups, authenticatedGroup] };
      known.set(user, member);
    }
    return member;
  };
}

/** Takes what is said about a request beside its answer. */
export interface RequestNotes {
  readonly warn: (message: string) => void;
  readonly annotate: (key: string, value: string) => void;
}

export interface AuthenticationOptions {
  readonly authenticators: readonly Authenticator[];
  readonly anonymous: boolean;
  readonly logger: Logger;
}

/** The filter that finds out who asks. */
export class Authentication {
  readonly #options: AuthenticationOptions;
  readonly #withGroup = groupAdder();

  constructor(options: AuthenticationOptions) {
    this.#options = options;
  }

  /**
   * The caller. Answers at once where all authenticators do.
   *
   * @param notes take what there is to say about the credentials
   * @throws ApiError Unauthorized
   */
  authenticate(req: HttpRequest, notes: RequestNotes): UserInfo | Promise<UserInfo> {
    return this.#from(req, notes, 0, undefined);
  }

  #from(
    req: HttpRequest,
    notes: RequestNotes,
    start: number,
    rejection: string | undefined,
  ): UserInfo | Promise<UserInfo> {
    const { authenticators } = this.#options;
    let refused = rejection;
    for (let i = start; i < authenticators.length; i++) {
      const result = this.#ask(authenticators[i], req);
      if (result instanceof Promise) {
        const before = refused;
        return result.then(
          (late) => this.#judge(late, notes) ?? this.#from(req, notes, i + 1, before ?? reasonOf(late)),
          (error: unknown) => this.#from(req, notes, i + 1, before ?? reasonOf(failed(error))),
        );
      }
      const user = this.#judge(result, notes);
      if (user !== undefined) return user;
      refused ??= reasonOf(result);
    }
    // Invalid credentials are a failed authentication, not an anonymous request.
    if (refused !== undefined) {
      this.#options.logger.warn("Unable to authenticate the request", { reason: refused });
      throw unauthorized();
    }
    if (!this.#options.anonymous) throw unauthorized();
    return anonymousUser;
  }

  #ask(authenticator: Authenticator | undefined, req: HttpRequest): AuthResult | Promise<AuthResult> {
    try {
      return authenticator?.authenticate(req) ?? { type: "noOpinion" };
    } catch (error) {
      return failed(error);
    }
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

const reasonOf = (result: AuthResult): string | undefined => (result.type === "rejected" ? result.reason : undefined);

/** An authenticator that throws has not authenticated the request. */
const failed = (error: unknown): AuthResult => ({
  type: "rejected",
  reason: error instanceof Error ? error.message : String(error),
});
