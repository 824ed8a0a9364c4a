/**
 * What a writer claims about a lease: it acquired it, and nobody else has since. A write with a claim is rejected unless the
 * claim is true at the moment of the write, however long the request was under way.
 */
export interface LeaseClaim {
  readonly namespace: string;
  readonly name: string;
  /** `spec.holderIdentity` of the Lease. */
  readonly holder: string;
  /** `spec.leaseTransitions` of the Lease. */
  readonly transitions: number;
}

/** The header of a request that has a claim. Servers that do not know it ignore it. */
export const leaseClaimHeader = "x-orchernetes-lease";

/** The reason of the cause in the 409 for a claim that is not true. */
export const LEASE_NOT_HELD = "LeaseNotHeld";

const MAX_LENGTH = 2048;
const form = /^([a-z0-9.-]{1,253})\/([a-z0-9.-]{1,253});holder=([^;\s]+);transitions=(\d{1,10})$/;

/** The value of the header: `NAMESPACE/NAME;holder=IDENTITY;transitions=NUMBER`, with the identity percent-encoded. */
export const formatLeaseClaim = ({ namespace, name, holder, transitions }: LeaseClaim): string =>
  `${namespace}/${name};holder=${encodeURIComponent(holder)};transitions=${transitions}`;

/** Reads the value of the header; undefined if it is malformed, or longer than 2,048 characters. */
export function parseLeaseClaim(text: string): LeaseClaim | undefined {
  const [, namespace = "", name = "", encoded = "", transitions = ""] =
    (text.length <= MAX_LENGTH && form.exec(text)) || [];
  if (encoded === "") return undefined;
  try {
    return { namespace, name, holder: decodeURIComponent(encoded), transitions: Number(transitions) };
  } catch {
    return undefined;
  }
}
