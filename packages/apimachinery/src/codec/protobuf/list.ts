import { ListMeta } from "../../resource/object-meta.ts";
import type { MessageSchema } from "../../schema/index.ts";
import { encodeMessage } from "./encode.ts";
import { envelopeAround } from "./envelope.ts";
import { ReverseWriter } from "./writer.ts";

/** Numbers of the fields that all lists have. */
const METADATA = 1;
const ITEMS = 2;

/** An item as a field of its list, which has one after the other between the parts that {@link encodeListFrame} gives. */
export function encodeListItem<T>(schema: MessageSchema<T>, item: T): Buffer {
  return field(ITEMS, encodeMessage(schema, item));
}

/**
 * What comes before and after the items of a list in its envelope, so that a long list can be made piece by piece: the same
 * bytes as of the whole list in one.
 *
 * @param itemBytes how many bytes all items have, each made by {@link encodeListItem}
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
