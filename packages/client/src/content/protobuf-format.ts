import {
  DecodeError,
  decodeEnvelope,
  protobufMediaType,
  readEnvelope,
  type Scheme,
  type WatchFrame,
} from "@orchernetes/apimachinery";
import { messageOf } from "@orchernetes/kernel";
import type { BodyFormat, ListReader, RawEvent } from "../transport/body-format.ts";
import { ProtobufList } from "./protobuf-list.ts";
import { WatchFrames } from "./watch-frames.ts";

/** Reads bodies in protobuf, by the schemas of a scheme. */
export class ProtobufFormat implements BodyFormat {
  readonly name = protobufMediaType;
  readonly #scheme: Scheme;

  constructor(scheme: Scheme) {
    this.#scheme = scheme;
  }

  object(bytes: Uint8Array): unknown {
    const envelope = readEnvelope(bytes);
    const { apiVersion, kind } = envelope;
    const known = this.#scheme.kind(apiVersion, kind);
    if (known === undefined)
      throw new DecodeError(
        `proto: kind ${JSON.stringify(kind)} of version ${JSON.stringify(apiVersion)} is not known`,
      );
    if (known.item === undefined) return decodeEnvelope(known.schema, envelope);
    // Item by item: the limits of a message are those of one object.
    const items: unknown[] = [];
    const list = this.list((item) => items.push(item));
    list.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    try {
      return { kind, apiVersion, metadata: list.end(), items };
    } catch (cause) {
      throw new DecodeError(messageOf(cause), "", { cause });
    }
  }

  list(onItem: (item: unknown) => void): ListReader {
    return new ProtobufList(this.#scheme, onItem);
  }

  async *events(source: AsyncIterable<Buffer>): AsyncGenerator<readonly (RawEvent | Error)[], void, undefined> {
    const frames = new WatchFrames();
    for await (const chunk of source) {
      frames.push(chunk);
      const events: (RawEvent | Error)[] = [];
      try {
        for (let frame = frames.next(); frame !== undefined; frame = frames.next()) events.push(this.#event(frame));
      } catch (error) {
        if (!(error instanceof DecodeError || error instanceof RangeError)) throw error;
        // What follows the length of a malformed frame cannot be told apart.
        yield [...events, error];
        return;
      }
      if (events.length > 0) yield events;
    }
  }

  #event({ type, object }: WatchFrame): RawEvent {
    return { type, object: this.object(object) };
  }
}
