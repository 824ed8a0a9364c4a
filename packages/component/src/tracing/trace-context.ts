/** The place of a span in its trace, as it travels between processes (W3C Trace Context). */
export interface TraceContext {
  /** 16 bytes in hexadecimal, not all zero. */
  readonly traceId: string;
  /** 8 bytes in hexadecimal, not all zero. */
  readonly spanId: string;
  readonly sampled: boolean;
  /** What other systems keep with the trace; passed on as it came. */
  readonly traceState: string;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;
const maxTraceState = 512;

/** Reads the headers `traceparent` and `tracestate`; undefined when there is no valid parent in them. */
export function parseTraceContext(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): TraceContext | undefined {
  const header = headers.traceparent;
  if (typeof header !== "string") return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = pattern.exec(header.trim()) ?? [];
  // Later versions may append to what version 00 has; version ff is none.
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (zeros.test(traceId) || zeros.test(spanId)) return undefined;
  const state = headers.tracestate;
  const traceState = typeof state === "string" ? state : (state ?? []).join(",");
  return {
    traceId,
    spanId,
    sampled: (Number.parseInt(flags, 16) & 1) === 1,
    traceState: traceState.length > maxTraceState ? "" : traceState,
  };
}

/** The header `traceparent` that makes a span the parent of the request. */
export function formatTraceParent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}
