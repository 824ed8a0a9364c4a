/** The user of a request, as determined by authentication or impersonation. */
export interface UserInfo {
  readonly name: string;
  /** Distinguishes users who had the same name at different times, if the authenticator knows. */
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Further attributes, such as scopes; keys are lower case. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

const ANONYMOUS = "system:anonymous";

/** Group of every user who presented valid credentials. */
export const AUTHENTICATED_GROUP = "system:authenticated";

/** Group of the user of requests without credentials. */
export const UNAUTHENTICATED_GROUP = "system:unauthenticated";

/** Group whose members may do everything, regardless of roles. */
export const SUPERUSER_GROUP = "system:masters";

/** The user of requests without credentials. */
export const anonymousUser: UserInfo = Object.freeze({
  name: ANONYMOUS,
  groups: Object.freeze([UNAUTHENTICATED_GROUP]),
  extra: Object.freeze({}),
});

/** The user of requests that the API server makes to itself. As a superuser it may do everything. */
export const loopbackUser: UserInfo = Object.freeze({
  name: "system:apiserver",
  groups: Object.freeze([AUTHENTICATED_GROUP, SUPERUSER_GROUP]),
  extra: Object.freeze({}),
});

/** Whether a user is anonymous by name or group, even if credentials (such as a certificate of that name) led to it. */
export const isAnonymous = ({ name, groups }: UserInfo): boolean =>
  name === ANONYMOUS || groups.includes(UNAUTHENTICATED_GROUP);

/**
 * The user as a member of `system:authenticated`. A user who is a member already, is named `system:anonymous` or belongs to
 * `system:unauthenticated` is returned unchanged.
 */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.groups.includes(AUTHENTICATED_GROUP) || isAnonymous(user)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] };
}
