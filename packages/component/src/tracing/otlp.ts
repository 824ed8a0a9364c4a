import { ProtobufWriter } from "./protobuf-writer.ts";
import type { AttributeValue, EndedSpan } from "./span.ts";

/** The method of the collector that takes spans. */
export const exportMethod = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

const kinds = { internal: 1, server: 2 } as const;
const statusError = 2;
const scope = "orchernetes";

function keyValue(key: string, value: AttributeValue): ProtobufWriter {
  const any = new ProtobufWriter();
  if (typeof value === "string") any.string(1, value);
  else if (typeof value === "boolean") any.signed(2, value ? 1 : 0);
  else if (Number.isSafeInteger(value)) any.signed(3, value);
  else any.double(4, value);
  const pair = new ProtobufWriter();
  pair.string(1, key);
  pair.message(2, any);
  return pair;
}

/** Milliseconds with fractions as whole nanoseconds: a number cannot hold those of our time. */
function nanosOf(ms: number): bigint {
  const whole = Math.floor(ms);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6));
}

function spanMessage(span: EndedSpan): ProtobufWriter {
  const message = new ProtobufWriter();
  message.bytes(1, Buffer.from(span.traceId, "hex"));
  message.bytes(2, Buffer.from(span.spanId, "hex"));
  if (span.traceState !== "") message.string(3, span.traceState);
  if (span.parentId !== "") message.bytes(4, Buffer.from(span.parentId, "hex"));
  message.string(5, span.name);
  message.integer(6, kinds[span.kind]);
  message.fixed64(7, nanosOf(span.startMs));
  message.fixed64(8, nanosOf(span.endMs));
  for (const [key, value] of span.attributes) message.message(9, keyValue(key, value));
  if (span.failure !== undefined) {
    const status = new ProtobufWriter();
    status.string(2, span.failure);
    status.integer(3, statusError);
    message.message(15, status);
  }
  return message;
}

/**
 * An `ExportTraceServiceRequest` of OTLP 1.0.
 * @param resource what all spans of this process have in common, such as `service.name`
 */
export function encodeExport(
  resource: Readonly<Record<string, AttributeValue>>,
  version: string,
  spans: readonly EndedSpan[],
): Buffer {
  const about = new ProtobufWriter();
  for (const [key, value] of Object.entries(resource)) about.message(1, keyValue(key, value));
  const library = new ProtobufWriter();
  library.string(1, scope);
  library.string(2, version);
  const scopeSpans = new ProtobufWriter();
  scopeSpans.message(1, library);
  for (const span of spans) scopeSpans.message(2, spanMessage(span));
  const resourceSpans = new ProtobufWriter();
  resourceSpans.message(1, about);
  resourceSpans.message(2, scopeSpans);
  const request = new ProtobufWriter();
  request.message(1, resourceSpans);
  return request.finish();
}
