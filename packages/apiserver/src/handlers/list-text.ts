import { randomUUID } from "node:crypto";
import type { Negotiated } from "../http/negotiate.ts";
import type { RequestState } from "../http/request-state.ts";
import { yamlText } from "../yaml/yaml-text.ts";
import { yamlCaller } from "../yaml/yaml-thread.ts";
import { encodeText } from "./send-object.ts";

type Asking = Pick<RequestState, "yaml" | "signal" | "user" | "impersonatedBy">;

/** What a list is in a text for people, piece by piece: the same as of the whole list in one. */
export interface ListText {
  readonly head: string;
  readonly tail: string;
  /**
   * @param index 0 for the first one, which has no separator
   * @returns a promise when it takes longer than this turn of the event loop
   */
  item(value: unknown, index: number): string | Promise<string>;
}

/**
 * The text of a list as YAML or indented JSON, around its items.
 *
 * @param list everything but the items; at least one has to come
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

/** Empty lines stay empty: in a block of text they are its own. */
function indented(text: string, by: string): string {
  return by + text.replace(/\n(?=[^\n])/g, `\n${by}`);
}
