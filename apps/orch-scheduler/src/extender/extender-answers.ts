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

/**
 * Reads the entries one after the other up to the first invalid one: with an error for each of them, an answer of some megabytes would take
 * minutes and gigabytes.
 */
function readEach<V extends z.ZodType>(
  entries: Iterable<readonly [string | number, unknown]>,
  entry: V,
  context: z.RefinementCtx,
): [string | number, z.output<V>][] {
  const read: [string | number, z.output<V>][] = [];
  for (const [key, value] of entries) {
    const { data, error } = entry.safeParse(value);
    const issue = error?.issues[0];
    if (issue !== undefined) {
      context.addIssue({ code: "custom", path: [key, ...issue.path], message: issue.message });
      return [];
    }
    read.push([key, data as z.output<V>]);
  }
  return read;
}

const listOf = <V extends z.ZodType>(item: V) =>
  z
    .custom<readonly unknown[]>(Array.isArray, "Invalid input: expected array")
    .transform((list, context) => readEach(list.entries(), item, context).map(([, value]) => value));

const recordOf = <V extends z.ZodType>(entry: V) =>
  z
    .custom<object>(
      (value) => typeof value === "object" && value !== null && !Array.isArray(value),
      "Invalid input: expected record",
    )
    .transform(
      (record, context): Record<string, z.output<V>> =>
        Object.fromEntries(readEach(Object.entries(record), entry, context)),
    );

/** A text of an extender. It becomes part of statuses and events, so it is cut. */
const message = z.string().transform(shortened);

const reasons = recordOf(message).default({});
const named = fields({ metadata: fields({ name: z.string() }) });

/** The answer to a filter request. */
const filterAnswer = fields({
  Nodes: fields({ items: listOf(named).default([]) }).optional(),
  NodeNames: listOf(z.string()).optional(),
  FailedNodes: reasons,
  FailedAndUnresolvableNodes: reasons,
  Error: message.default(""),
});

const prioritizeAnswer = listOf(fields({ Host: z.string(), Score: z.number() }))
  .nullable()
  .transform((list) => list ?? []);

const preemptAnswer = fields({
  NodeNameToMetaVictims: recordOf(
    fields({
      Pods: listOf(fields({ UID: z.string() })).default([]),
      NumPDBViolations: z.int().default(0),
    }).nullable(),
  ).default({}),
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
