import { silentLogger, systemClock } from "@orchernetes/kernel";
import type { Resolution } from "../cache/reply-cache.ts";
import { silentMetrics } from "../metrics.ts";
import { Answerer } from "../server/answerer.ts";
import { ClientBudgets } from "../server/client-budgets.ts";
import { ClientLimits } from "../server/client-limits.ts";
import { MIN_UDP_BYTES } from "../wire/header.ts";
import { readQuery } from "../wire/query.ts";
import { readUpstreamReply, replyLimit } from "../wire/upstream-reply.ts";
import type { ClusterObjects } from "../zone/cluster-objects.ts";
import { createZone } from "../zone/zone.ts";

/** What a server makes of a packet. */
export interface OfflineAnswer {
  /** Undefined: the packet is no query. */
  readonly answer: Buffer | undefined;
  /** The largest answer that the client takes, in bytes. */
  readonly limit: number;
  /** What was thrown on the way and answered with SERVFAIL: errors of the server. */
  readonly errors: readonly unknown[];
}

/**
 * Answers one packet as a server for domain `cluster.local` does, without a network.
 *
 * @param reply what upstream servers answer with to every question, with id 0; a packet that is no answer to it is one that never came
 */
export function answerOffline(
  objects: ClusterObjects,
  packet: Buffer,
  { protocol, reply }: { readonly protocol: "udp" | "tcp"; readonly reply: Buffer },
): OfflineAnswer {
  const errors: unknown[] = [];
  const answerer = new Answerer({
    zone: createZone({ domain: "cluster.local", addresses: ["10.96.0.10"], objects, serial: () => 1 }),
    resolver: {
      cached: (asked) => ({ resolution: resolutionOf(() => readUpstreamReply(reply, 0, asked)), ageSeconds: 1 }),
      ask: () => undefined,
    },
    loopProbe: { receive: () => false },
    clients: new ClientLimits(1),
    budgets: new ClientBudgets({ clock: systemClock, perSecond: 1, burst: 1 }),
    clock: systemClock,
    logger: { ...silentLogger, error: (error: unknown) => void errors.push(error) },
    metrics: silentMetrics,
    random: () => 0,
  });
  const answer = answerer.answer(packet, { address: "192.0.2.1", family: 4, protocol });
  if (answer instanceof Promise) throw new Error("an answer without a network waits for something");
  const received = readQuery(packet);
  const limit = received.kind === "query" ? replyLimit(received.query, protocol) : MIN_UDP_BYTES;
  return { answer, limit, errors };
}

function resolutionOf(read: () => ReturnType<typeof readUpstreamReply>): Resolution {
  try {
    const reply = read();
    return reply === undefined ? { kind: "failed" } : { kind: "reply", reply };
  } catch (error) {
    if (error instanceof Error && error.name === "MalformedMessageError") return { kind: "failed" };
    throw error;
  }
}
