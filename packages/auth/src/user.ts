/** Who makes a request, as authentication (or impersonation) found it. */
export interface UserInfo {
  readonly name: string;
  /** Tells users of the same name over time apart, if the authenticator knows. */
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Further facts, e.g. scopes; keys are lower case. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The user of the server's own work; every authorization rule lets it pass. */
export const loopbackUser: UserInfo = Object.freeze({
  name: "system:apiserver",
  groups: Object.freeze(["system:authenticated", "system:masters"]),
  extra: Object.freeze({}),
});
