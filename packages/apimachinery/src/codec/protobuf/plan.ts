import type { Embedding, Field, MessageSchema, Schema } from "../../schema/index.ts";

/** The wire form of one field. */
interface FieldPlan {
  readonly id: number;
  readonly name: string;
  readonly schema: Schema;
  /** Whether it is written although it is zero, because absence has another meaning. */
  readonly keepZero: boolean;
}

/** The wire form of a message. Fields that JSON flattens are in a nested message here. */
export interface MessagePlan {
  /** By field number. */
  readonly fields: ReadonlyMap<number, FieldPlan>;
  readonly nested: ReadonlyMap<number, MessagePlan>;
  /** All numbers, largest first: the order of a reverse writer. */
  readonly descending: readonly number[];
}

const plans = new WeakMap<MessageSchema, MessagePlan>();

/** The wire form of a message, computed once. `kind` and `apiVersion` are not on the wire. */
export function planOf(schema: MessageSchema): MessagePlan {
  const known = plans.get(schema);
  if (known !== undefined) {
    return known;
  }
  const fields = Object.entries(schema.fields()).filter(([, { id }]) => id !== 0);
  const made = layout(fields.map(([name, field]) => ({ plan: fieldPlan(name, field), embedded: field.embedded })));
  plans.set(schema, made);
  return made;
}

interface PlacedField {
  readonly plan: FieldPlan;
  readonly embedded: Embedding | undefined;
}

function fieldPlan(name: string, field: Field): FieldPlan {
  return {
    id: field.id,
    name,
    schema: field.schema,
    // Bytes that are absent are null, which is not the same as empty.
    keepZero: field.presence === "pointer" || field.pointer === true || field.schema.kind === "bytes",
  };
}

function layout(placed: readonly PlacedField[]): MessagePlan {
  const fields = new Map<number, FieldPlan>();
  const deeper = new Map<number, PlacedField[]>();
  for (const { plan, embedded } of placed) {
    if (embedded === undefined) fields.set(plan.id, plan);
    else deeper.set(embedded.id, [...(deeper.get(embedded.id) ?? []), { plan, embedded: embedded.inner }]);
  }
  const nested = new Map([...deeper].map(([id, group]) => [id, layout(group)]));
  return { fields, nested, descending: [...fields.keys(), ...nested.keys()].sort((a, b) => b - a) };
}
