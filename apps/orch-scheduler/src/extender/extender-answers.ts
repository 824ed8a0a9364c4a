import { shortened } from "@orchernetes/apimachinery";
import { z } from "zod";

/**
 * Fields of answers are found as the original's servers and clients do: whatever the case of their names, and null is
 * absence.
 */
const fields = <S extends z.ZodRawShape>(shape: S) =>
  z.preprocess((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const known = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]));
    const entries = Object.entries(value).flatMap(([name, field]) => {
      const canonical = known.get(name.toLowerCase());
      return canonical === undefined || field === null ? [] : [[canonical, field] as const];
    });
    return Object.fromEntries(entries);
  }, z.object(shape));

/** A text of an extender. It becomes part of statuses and events, so it is cut. */
const message = z.string().transform(shortened);

const reasons = z.record(z.string(), message).default({});
const named = fields({ metadata: fields({ name: z.string() }) });

/** The answer to a filter request. */
const filterAnswer = fields({
  Nodes: fields({ items: z.array(named).default([]) }).optional(),
  NodeNames: z.array(z.string()).optional(),
  FailedNodes: reasons,
  FailedAndUnresolvableNodes: reasons,
  Error: message.default(""),
});

const prioritizeAnswer = z
  .array(fields({ Host: z.string(), Score: z.number() }))
  .nullable()
  .transform((list) => list ?? []);

const preemptAnswer = fields({
  NodeNameToMetaVictims: z
    .record(
      z.string(),
      fields({
        Pods: z.array(fields({ UID: z.string() })).default([]),
        NumPDBViolations: z.int().default(0),
      }).nullable(),
    )
    .default({}),
});

const bindAnswer = fields({ Error: message.default("") }).nullable();

function read<S extends z.ZodType>(schema: S, value: unknown, verb: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(`invalid response of the extender to ${verb}: ${issue?.path.join(".") ?? ""}: ${issue?.message}`);
}

/** Reads answers. Each function throws an Error for an answer of another form. */
export const readAnswer = {
  filter: (value: unknown) => read(filterAnswer, value, "filter"),
  prioritize: (value: unknown) => read(prioritizeAnswer, value, "prioritize"),
  preempt: (value: unknown) => read(preemptAnswer, value, "preempt"),
  bind: (value: unknown) => read(bindAnswer, value, "bind"),
};
