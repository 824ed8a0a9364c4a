/**
 * Rewrites the errors of a configuration in which flags set fields: errors of such fields name the flag, and where an
 * accepted value depends on such a field, its flag is named as well.
 *
 * @param errors lines such as `flags, field a.b: invalid value 1; want 2`
 * @param source the beginning of lines, before `, field`
 * @param flagOf name of the flag that set a field, by its dotted path
 */
export function errorsByFlag(
  errors: readonly string[],
  source: string,
  flagOf: ReadonlyMap<string, string>,
): readonly string[] {
  const start = `${source}, field `;
  return errors.map((error) => {
    if (!error.startsWith(start)) return error;
    const rest = error.slice(start.length);
    let field = /^[^:[]*/.exec(rest)?.[0] ?? "";
    // A flag may set a field as a whole of which only a part is invalid.
    while (field.includes(".") && !flagOf.has(field)) field = field.slice(0, field.lastIndexOf("."));
    const flag = flagOf.get(field);
    const line = flag === undefined ? error : `--${flag}: field ${rest}`;
    const [what = "", ...wants] = line.split("; want ");
    return [what, ...wants.map((want) => want.replace(/[A-Za-z][\w.]*/g, beside(flagOf)))].join("; want ");
  });
}

const beside = (flagOf: ReadonlyMap<string, string>) => (word: string) => {
  const flag = flagOf.get(word);
  return flag === undefined ? word : `${word} (--${flag})`;
};
