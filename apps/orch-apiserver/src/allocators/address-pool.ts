/** The service that an address is for. */
export interface AddressHolder {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** How much of something is in use. */
export interface Use {
  readonly taken: number;
  readonly free: number;
}

/** What came of the request for an address that a client chose. */
export type Claimed = "taken" | "already-allocated" | "out-of-range";

/** The addresses of one range, which all servers of a store share. A dry run allocates nothing. */
export interface AddressPool {
  readonly use: Use;
  /** Allocates a random free address; undefined if none is left. */
  take(holder: AddressHolder, dryRun: boolean): Promise<string | undefined>;
  /** Allocates an address that the client chose. */
  claim(address: string, holder: AddressHolder, dryRun: boolean): Promise<Claimed>;
  /** Releases addresses; those outside the range, and those of others, are ignored. */
  release(addresses: readonly string[], holder: AddressHolder): Promise<void>;
}
