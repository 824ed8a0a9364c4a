import { SelectorError } from "./requirement.ts";

/** One condition on one field. */
export interface FieldRequirement {
  readonly field: string;
  readonly op: "=" | "!=";
  readonly value: string;
}

/** A parsed field selector: all requirements must hold. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly empty: boolean;
  /** Whether an object with these field values is selected; an absent field is "". */
  matches(fields: Readonly<Record<string, string>>): boolean;
  /**
   * The value that `field` must equal; undefined if the selector does not require one. Stores use it to read an
   * index.
   */
  exact(field: string): string | undefined;
  toString(): string;
}

/** Creates a selector from requirements. */
export function fieldSelectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    requirements,
    empty: requirements.length === 0,
    matches: (fields) =>
      requirements.every(({ field, op, value }) => {
        const have = Object.hasOwn(fields, field) ? fields[field] : "";
        return (have === value) === (op === "=");
      }),
    exact: (name) => requirements.find(({ field, op }) => field === name && op === "=")?.value,
    toString: () => requirements.map(({ field, op, value }) => `${field}${op}${escapeFieldValue(value)}`).join(","),
  };
}

/** A value for use in a field selector, with `\`, `,` and `=` escaped. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

/** Splits a text at commas that are not escaped. */
function splitTerms(text: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") {
      i++;
    } else if (text[i] === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) {
    return text;
  }
  let plain = "";
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === "\\") {
      const escaped = text.charAt(++i);
      if (escaped === "" || !"\\,=".includes(escaped)) {
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${escaped}`);
      }
      plain += escaped;
    } else if (char === "," || char === "=") {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    } else {
      plain += char;
    }
  }
  return plain;
}

/**
 * Parses `metadata.name=x,spec.nodeName!=y`. Operators are `=`, `==` and `!=`; `\` escapes `\`, `,` and `=` in
 * values.
 *
 * @returns requirements sorted by their text
 * @throws SelectorError; the server returns its message in a BadRequest
 */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = [...splitTerms(text)].sort();
  const requirements: FieldRequirement[] = [];
  for (const term of terms) {
    if (term === "") {
      continue;
    }
    const found = /!=|==|=/.exec(term);
    if (found === null) {
      throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    }
    requirements.push({
      field: term.slice(0, found.index),
      op: found[0] === "!=" ? "!=" : "=",
      value: unescapeValue(term.slice(found.index + found[0].length)),
    });
  }
  return fieldSelectorOf(requirements);
}
