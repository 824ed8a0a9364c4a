import { formatDuration } from "../duration.ts";
import { isDuration } from "../values.ts";
import { type OrchletConfiguration, orchletFields } from "./orchlet-configuration.ts";

/** The part of a zod schema by which the schemas inside it are found. */
interface SchemaNode {
  readonly _zod: {
    readonly def: {
      readonly shape?: Readonly<Record<string, SchemaNode>>;
      readonly innerType?: SchemaNode;
      readonly element?: SchemaNode;
      readonly options?: readonly SchemaNode[];
    };
  };
}

/** The settings in the form of the file of `--config`: durations are texts such as `1m0s`. The file that it makes sets the same. */
export function orchletDocument(settings: OrchletConfiguration): Readonly<Record<string, unknown>> {
  return convert(
    { _zod: { def: { shape: orchletFields as unknown as Record<string, SchemaNode> } } },
    settings,
  ) as Record<string, unknown>;
}

function convert(schema: SchemaNode, value: unknown): unknown {
  const { shape, innerType, element, options } = schema._zod.def;
  if (typeof value === "number") return holdsDuration(schema) ? formatDuration(value) : value;
  if (innerType !== undefined) return convert(innerType, value);
  if (Array.isArray(value)) return element === undefined ? value : value.map((item) => convert(element, item));
  if (typeof value !== "object" || value === null) return value;
  const inner = shape ?? options?.find(({ _zod }) => _zod.def.shape !== undefined)?._zod.def.shape;
  if (inner === undefined) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const field = inner[name];
      return [name, field === undefined ? item : convert(field, item)];
    }),
  );
}

/** Whether numbers of a schema come from durations: of one, of an optional one, or of one among several forms. */
function holdsDuration(schema: SchemaNode): boolean {
  if (isDuration(schema)) return true;
  const { innerType, options } = schema._zod.def;
  return (innerType !== undefined && holdsDuration(innerType)) || (options ?? []).some(holdsDuration);
}
