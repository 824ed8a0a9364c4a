import { randomUUID } from "node:crypto";
import type { Negotiated } from "../http/negotiate.ts";
import type { RequestState } from "../http/request-state.ts";
import { yamlText } from "../yaml/yaml-text.ts";
import { yamlCaller } from "../yaml/yaml-thread.ts";
import { encodeText } from "./send-object.ts";

type Asking = Pick<RequestState, "yaml" | "signal" | "user" | "impersonatedBy">;

/**
 * The text of a list around its items, for producing it piece by piece. The result is the same as that of encoding the
 * whole list.
 */
export interface ListText {
  readonly head: string;
  readonly tail: string;
  /**
   * @param index 0 for the first item, which has no separator before it
   * @returns a promise if it takes longer than this turn of the event loop
   */
  item(value: unknown, index: number): string | Promise<string>;
}

/**
 * The text of a list as YAML or indented JSON, around its items. The list is encoded once with a random mark as its
 * only item, and the text around that mark is the head and the tail: indentation and order of keys are the encoder's
 * own.
 *
 * @param list everything but the items; there must be at least one
 * @param into the name of the items' property, which comes last unless the encoding sorts
 */
export function listText(state: Asking, negotiated: Negotiated, list: object, into: "items" | "rows"): ListText {
  const yaml = negotiated.encoding === "yaml";
  const mark = `item-${randomUUID()}`;
  const place = yaml ? `  - ${mark}\n` : `    "${mark}"`;
  const [head = "", tail = ""] = encodeText(negotiated, { ...list, [into]: [mark] }, true).split(place);
  if (yaml) return { head, tail, item: (value) => yamlItem(state, value) };
  const item = (value: unknown, index: number): string => {
    const text = indented(encodeText(negotiated, value, true), "    ");
    return index === 0 ? text : `,\n${text}`;
  };
  return { head, tail, item };
}

/** An item of a list as YAML; a long one is written in the YAML thread. */
function yamlItem(state: Asking, value: unknown): string | Promise<string> {
  const { yaml } = state;
  const json = JSON.stringify([value]);
  if (yaml?.isLong(json.length) !== true) return indented(yamlText([value]), "  ");
  return yaml
    .write(Buffer.from(json), yamlCaller(state))
    .then((text) => indented(new TextDecoder().decode(text), "  "));
}

/** Indents a text. Empty lines stay empty: they are part of block scalars. */
function indented(text: string, by: string): string {
  return by + text.replace(/\n(?=[^\n])/g, `\n${by}`);
}
