/**
 * Parts of the lists of sandboxes and containers, for callers that list all of them often: reading a list costs what is read of it.
 *
 * @module
 */
import protobuf from "protobufjs/minimal.js";
import { ContainerState } from "./container.ts";
import { type Enumeration, enterDelimited, entriesOf, type Singular } from "./fields.ts";
import { message } from "./message.ts";
import { PodSandboxState } from "./sandbox.ts";

const { BufferReader } = protobuf;
type Labels = Readonly<Record<string, string>>;

/** A sandbox or container of a list. */
interface Listed<S extends string> {
  readonly id: string;
  readonly state: S;
  /** Those labels that the view names. They are read each time they are asked for. */
  readonly labels: Labels;
}

/** A sandbox of {@link sandboxStates}. */
export type ListedSandbox = Listed<ReturnType<typeof PodSandboxState.initial>>;

/** A container of {@link containerStates}. */
export type ListedContainer = Listed<ReturnType<typeof ContainerState.initial>>;

/** Reads the ids and states of listed sandboxes, and on demand those of their labels that have these names. */
export function sandboxStates(...labels: readonly string[]) {
  const read = statesReader([3, PodSandboxState], 5, labels);
  return { decode: (bytes: Buffer): { readonly items: readonly ListedSandbox[] } => ({ items: read(bytes) }) };
}

/** Reads the ids and states of listed containers, and on demand those of their labels that have these names. */
export function containerStates(...labels: readonly string[]) {
  const read = statesReader([6, ContainerState], 8, labels);
  return {
    decode: (bytes: Buffer): { readonly containers: readonly ListedContainer[] } => ({ containers: read(bytes) }),
  };
}

/** Number 1, delimited: the items in both responses, and the id in each item. */
const ITEM_TAG = (1 << 3) | 2;
const ID_TAG = ITEM_TAG;

/** What all items of a response have in common. */
interface Source {
  readonly bytes: Buffer;
  /** Reads the labels of an item. */
  readonly rest: Singular<{ readonly labels: Labels }>;
}

/** An item whose labels are in the bytes of the response: in most lists nothing has changed, and nobody asks for them. */
class Item<S extends string> implements Listed<S> {
  readonly id: string;
  readonly state: S;
  readonly #source: Source;
  readonly #from: number;

  /** @param from where the item is in the bytes of its source */
  constructor(id: string, state: S, source: Source, from: number) {
    this.id = id;
    this.state = state;
    this.#source = source;
    this.#from = from;
  }

  get labels(): Labels {
    const { bytes, rest } = this.#source;
    const reader = new BufferReader(bytes);
    reader.pos = this.#from;
    return rest.readValue(reader).labels;
  }
}

/**
 * @param state number and kind of the field of the state
 * @param labelsNumber number of the field of labels
 * @param names of the labels that are read
 */
function statesReader<S extends string>(
  [stateNumber, state]: readonly [number, Enumeration<S>],
  labelsNumber: number,
  names: readonly string[],
): (bytes: Buffer) => readonly Listed<S>[] {
  const rest = message({ labels: [labelsNumber, entriesOf(...names)] });
  const stateTag = stateNumber << 3;
  return (bytes) => {
    const items: Item<S>[] = [];
    const source = { bytes, rest };
    const reader = new BufferReader(bytes);
    while (reader.pos < reader.len) {
      const tag = reader.tag();
      if (tag !== ITEM_TAG) {
        reader.skipType(tag & 7, 0, tag >>> 3);
        continue;
      }
      const from = reader.pos;
      let id = "";
      let value = state.initial();
      const outerEnd = enterDelimited(reader);
      while (reader.pos < reader.len) {
        const field = reader.tag();
        if (field === ID_TAG) id = reader.string();
        else if (field === stateTag) value = state.readValue(reader);
        else reader.skipType(field & 7, 0, field >>> 3);
      }
      reader.len = outerEnd;
      items.push(new Item(id, value, source, from));
    }
    return items;
  };
}
