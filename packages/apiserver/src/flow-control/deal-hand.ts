import { createHash } from "node:crypto";

/**
 * Shuffle sharding: the hand of queues that a flow may use, the same one always. Two flows share all queues of their hands very
 * rarely, so that one busy flow leaves others a queue to go by (KEP-1040).
 */
export function dealHand(flow: string, queues: number, handSize: number): readonly number[] {
  let entropy = createHash("sha256").update(flow).digest().readBigUInt64BE(0);
  const rest = Array.from({ length: queues }, (_, index) => index);
  const hand: number[] = [];
  while (hand.length < handSize && rest.length > 0) {
    const size = BigInt(rest.length);
    hand.push(...rest.splice(Number(entropy % size), 1));
    entropy /= size;
  }
  return hand;
}
