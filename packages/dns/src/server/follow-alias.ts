import type { Answer } from "dns-packet";
import type { Resolution } from "../cache/reply-cache.ts";
import { copiedRecord } from "../wire/copied-record.ts";
import { RCODE } from "../wire/header.ts";
import { CLASS_IN, TYPE } from "../wire/record-types.ts";
import type { Reply, WrittenRecord } from "../wire/reply-writer.ts";
import type { UpstreamReply } from "../wire/upstream-reply.ts";
import type { Zone } from "../zone/zone.ts";
import type { ZoneAnswer } from "../zone/zone-answer.ts";

/** Most aliases that follow one another, as in CoreDNS. */
const MAX_ALIASES = 10;

/** Where an alias leads: to an answer, or to a name that upstream servers know. */
export type AliasEnd =
  | { readonly kind: "reply"; readonly reply: Reply }
  | { readonly kind: "outside"; readonly target: string; readonly records: readonly Answer[] };

/** Follows the aliases of external names as long as they lead to names of the zone. */
export function followAlias(zone: Zone, first: Extract<ZoneAnswer, { kind: "alias" }>, type: string): AliasEnd {
  const records = [first.record];
  let { target } = first;
  for (let left = MAX_ALIASES; left > 0; left--) {
    const next = zone.lookUp(target, type);
    switch (next.kind) {
      case "outside":
        return { kind: "outside", target, records };
      case "unsynced":
        return { kind: "reply", reply: { rcode: RCODE.servFail } };
      case "noSuchName":
        return {
          kind: "reply",
          reply: { rcode: RCODE.nxDomain, authoritative: true, answers: records, authorities: [next.soa] },
        };
      case "records": {
        const authorities = next.answers.length === 0 ? [next.soa] : [];
        const answers = [...records, ...next.answers];
        return { kind: "reply", reply: { rcode: RCODE.noError, authoritative: true, answers, authorities } };
      }
      case "alias":
        records.push(next.record);
        target = next.target;
        break;
    }
  }
  // The aliases go in a circle, or are too many.
  return { kind: "reply", reply: { rcode: RCODE.servFail } };
}

/** Bytes that a record takes at least: the root's name, and ten bytes before its data. */
const MIN_RECORD_BYTES = 11;

/**
 * The answer of an external name: its aliases, and what upstream servers say about the target (RFC 6604).
 *
 * @param limitBytes largest size of the answer; records that cannot fit in any case are not read
 */
export function aliasReply(
  records: readonly Answer[],
  type: number,
  resolution: Resolution | undefined,
  { ageSeconds, limitBytes }: { readonly ageSeconds: number; readonly limitBytes: number },
): Reply {
  if (resolution?.kind !== "reply") return { rcode: RCODE.servFail };
  const { reply } = resolution;
  if (reply.rcode !== RCODE.noError && reply.rcode !== RCODE.nxDomain) return { rcode: RCODE.servFail };
  // One record more than can fit is enough to mark the answer as truncated.
  const maxRecords = Math.ceil(limitBytes / MIN_RECORD_BYTES);
  return { rcode: reply.rcode, answers: [...records, ...copiedAnswers(reply, type, ageSeconds, maxRecords)] };
}

/** Answers of the type, and the aliases before them. They are copied because their pointers are to places of another message. */
function copiedAnswers(
  reply: UpstreamReply,
  type: number,
  ageSeconds: number,
  maxRecords: number,
): readonly WrittenRecord[] {
  const answers: WrittenRecord[] = [];
  for (const span of reply.answers) {
    if (answers.length >= maxRecords) break;
    if (span.class !== CLASS_IN || (span.type !== type && span.type !== TYPE.cname)) continue;
    const record = copiedRecord(reply.bytes, span, ageSeconds);
    if (record !== undefined) answers.push(record);
  }
  return answers;
}
