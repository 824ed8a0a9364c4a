import packet, { type Answer } from "dns-packet";
import type { Resolution } from "../cache/reply-cache.ts";
import { RCODE } from "../wire/header.ts";
import { typeName } from "../wire/record-types.ts";
import type { Reply } from "../wire/reply-writer.ts";
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

/** The answer of an external name: its aliases, and what upstream servers say about the target (RFC 6604). */
export function aliasReply(
  records: readonly Answer[],
  type: number,
  resolution: Resolution | undefined,
  ageSeconds: number,
): Reply {
  if (resolution?.kind !== "reply") return { rcode: RCODE.servFail };
  const { reply } = resolution;
  if (reply.rcode !== RCODE.noError && reply.rcode !== RCODE.nxDomain) return { rcode: RCODE.servFail };
  return { rcode: reply.rcode, answers: [...records, ...decodedAnswers(reply, type, ageSeconds)] };
}

/** Answers of the type, and the aliases before them. They are decoded because their pointers are to places of another message. */
function decodedAnswers(reply: UpstreamReply, type: number, ageSeconds: number): readonly Answer[] {
  const wanted = new Set([typeName(type), "CNAME"]);
  const answers: Answer[] = [];
  for (const { start } of reply.answers) {
    const record = decodeRecord(reply.bytes, start);
    if (record === undefined || record.type === "OPT" || !wanted.has(record.type)) continue;
    answers.push({ ...record, ttl: Math.max(0, (record.ttl ?? 0) - ageSeconds) });
  }
  return answers;
}

function decodeRecord(bytes: Buffer, start: number): Answer | undefined {
  try {
    return packet.answer.decode(bytes, start);
  } catch {
    // The data of a record may be nonsense in a message that is well-formed otherwise.
    return undefined;
  }
}
