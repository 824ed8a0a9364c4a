import { randomBytes } from "node:crypto";
import type { Logger } from "@orchernetes/kernel";
import packet from "dns-packet";
import { CLASS_IN, typeNumber } from "../wire/record-types.ts";
import type { UpstreamQuestion } from "../wire/upstream-reply.ts";
import { type Forwarder, textOf } from "./forwarder.ts";

/** The question about a name of class IN. */
export function questionOf(name: string, type: number): Buffer {
  const question = Buffer.alloc(packet.name.encodingLength(name) + 4);
  packet.name.encode(name, question, 0);
  const end = packet.name.encode.bytes;
  question.writeUInt16BE(type, end);
  question.writeUInt16BE(CLASS_IN, end + 2);
  return question.subarray(0, end + 4);
}

/** Domain of the probes' names. It does not exist; `.invalid` is reserved (RFC 6761). */
const PROBE_DOMAIN = "loop.orch-dns.invalid";

/** Time for a probe to come back. */
const PROBE_TIMEOUT_MS = 2000;

/**
 * Finds upstream servers that send questions back to this server, as a host's stub resolver does that was told to use the
 * cluster's DNS: every question would circulate until it times out. Each server is asked for a name that nobody else
 * knows; if the question arrives here, the server is no longer used. CoreDNS's plugin `loop` stops the process instead.
 */
export class LoopProbe {
  readonly #forwarder: Forwarder;
  readonly #logger: Logger;
  readonly #waiting = new Map<string, { arrived: boolean }>();

  constructor(forwarder: Forwarder, logger: Logger) {
    this.#forwarder = forwarder;
    this.#logger = logger;
  }

  /** Whether a question is one of the probes of this server: it went in a circle. */
  receive(name: string): boolean {
    const probe = this.#waiting.get(name);
    if (probe === undefined) return false;
    probe.arrived = true;
    return true;
  }

  /** Asks each server once, and removes those whose questions come back. */
  async run(): Promise<void> {
    const { upstreams } = this.#forwarder;
    const looping = await Promise.all(
      upstreams.map(async (upstream) => {
        const name = `${randomBytes(16).toString("hex")}.${PROBE_DOMAIN}`;
        const probe = { arrived: false };
        this.#waiting.set(name, probe);
        const type = typeNumber("HINFO");
        const asked: UpstreamQuestion = {
          question: questionOf(name, type),
          name,
          type,
          dnssecOk: false,
          checkingDisabled: false,
        };
        await this.#forwarder.askOne(upstream, asked, PROBE_TIMEOUT_MS);
        this.#waiting.delete(name);
        return probe.arrived ? upstream : undefined;
      }),
    );
    const removed = looping.filter((upstream) => upstream !== undefined);
    // The servers may have been replaced meanwhile; then the probes of the new ones decide.
    if (removed.length === 0 || this.#forwarder.upstreams !== upstreams) return;
    this.#forwarder.setUpstreams(upstreams.filter((upstream) => !removed.includes(upstream)));
    this.#logger.warn("Upstream DNS servers that send queries back to the cluster DNS are no longer used", {
      upstreams: removed.map(textOf),
    });
  }
}
