/** Words that the language reserves: `namespace` is among them. */
const reserved: ReadonlySet<string> = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace return " +
    "var void while"
  ).split(" "),
);

const escapes: Readonly<Record<string, string>> = { __: "underscores", ".": "dot", "-": "dash", "/": "slash" };

/**
 * The name by which expressions select a property: `a.b` is `a__dot__b`, `namespace` is `__namespace__`. Properties of JSON may have names
 * that are no identifiers of the language, or that it reserves.
 *
 * @returns undefined if it can't be selected
 */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][\w./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (found) => `__${escapes[found] ?? ""}__`);
}
