/** A token that is bound to a pod. */
export interface BoundToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}
