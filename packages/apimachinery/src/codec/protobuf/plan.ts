import type { Field, MessageSchema, Schema } from "../../schema/index.ts";

/** How one field lies on the wire. */
export interface FieldPlan {
  readonly id: number;
  readonly name: string;
  readonly schema: Schema;
  /** Written although it is zero: absence means something else. */
  readonly keepZero: boolean;
}

/** Fields that JSON flattens lie in a nested message here. */
export interface MessagePlan {
  /** By field number. */
  readonly fields: ReadonlyMap<number, FieldPlan>;
  readonly nested: ReadonlyMap<number, MessagePlan>;
  /** All numbers, largest first: the order in which a reverse writer meets them. */
  readonly descending: readonly number[];
}

const plans = new WeakMap<MessageSchema, MessagePlan>();

/** The wire layout of a message; made once. `kind` and `apiVersion` are not on the wire. */
export function planOf(schema: MessageSchema): MessagePlan {
  const known = plans.get(schema);
  if (known !== undefined) {
    return known;
  }
  const fields = new Map<number, FieldPlan>();
  const inner = new Map<number, Map<number, FieldPlan>>();
  for (const [name, field] of Object.entries(schema.fields())) {
    if (field.id === 0) {
      continue;
    }
    const plan = fieldPlan(name, field);
    if (field.embedded === undefined) {
      fields.set(field.id, plan);
    } else {
      const group = inner.get(field.embedded.id) ?? new Map<number, FieldPlan>();
      inner.set(field.embedded.id, group.set(field.id, plan));
    }
  }
  const nested = new Map([...inner].map(([id, group]) => [id, layout(group, new Map())]));
  const made = layout(fields, nested);
  plans.set(schema, made);
  return made;
}

function fieldPlan(name: string, field: Field): FieldPlan {
  return {
    id: field.id,
    name,
    schema: field.schema,
    keepZero: field.presence === "pointer" || field.pointer === true,
  };
}

function layout(fields: ReadonlyMap<number, FieldPlan>, nested: ReadonlyMap<number, MessagePlan>): MessagePlan {
  return { fields, nested, descending: [...fields.keys(), ...nested.keys()].sort((a, b) => b - a) };
}
