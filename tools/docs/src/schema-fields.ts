/** The part of a zod schema that its fields are found by. */
export interface SchemaNode {
  readonly _zod?: {
    readonly def: {
      readonly type: string;
      readonly shape?: Readonly<Record<string, SchemaNode>>;
      readonly innerType?: SchemaNode;
      readonly in?: SchemaNode;
    };
  };
}

/** Dotted paths of all fields of a configuration document that hold values. */
export function fieldsOf(schema: SchemaNode | undefined, path = ""): readonly string[] {
  const def = schema?._zod?.def;
  if (def?.shape !== undefined)
    return Object.entries(def.shape).flatMap(([name, field]) =>
      fieldsOf(field, path === "" ? name : `${path}.${name}`),
    );
  const inner = def?.innerType ?? (def?.type === "pipe" ? def.in : undefined);
  return inner === undefined ? [path] : fieldsOf(inner, path);
}

/** Whether a path is one of those listed, or below one. */
export const isListed = (listed: readonly string[], path: string): boolean =>
  listed.some((field) => path === field || path.startsWith(`${field}.`));
