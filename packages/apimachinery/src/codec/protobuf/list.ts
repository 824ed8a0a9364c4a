import { ListMeta } from "../../resource/object-meta.ts";
import type { MessageSchema } from "../../schema/index.ts";
import { encodeMessage } from "./encode.ts";
import { envelopeAround } from "./envelope.ts";
import { ReverseWriter } from "./writer.ts";

/** Numbers of the fields that all lists have. */
const METADATA = 1;
const ITEMS = 2;

/**
 * Encodes an item as a field of its list. The fields of all items are concatenated between the parts of {@link
 * encodeListFrame}.
 */
export function encodeListItem<T>(schema: MessageSchema<T>, item: T): Buffer {
  return field(ITEMS, encodeMessage(schema, item));
}

/**
 * The parts of a list before and after its items, in its envelope, so that a long list can be encoded piece by piece:
 * the bytes are those of the whole list.
 *
 * @param itemBytes number of bytes of all items, each encoded with {@link encodeListItem}
 */
export function encodeListFrame(
  apiVersion: string,
  kind: string,
  metadata: ListMeta,
  itemBytes: number,
): { readonly head: Buffer; readonly tail: Buffer } {
  const first = field(METADATA, encodeMessage(ListMeta, metadata));
  const { head, tail } = envelopeAround(apiVersion, kind, first.length + itemBytes);
  return { head: Buffer.concat([head, first]), tail };
}

function field(id: number, bytes: Uint8Array): Buffer {
  const writer = new ReverseWriter(bytes.length + 16);
  writer.raw(bytes);
  writer.close(id, 0);
  return writer.finish();
}
