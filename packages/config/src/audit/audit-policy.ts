import { z } from "zod";
import type { DeepReadonly } from "../values.ts";

/** Stages of a request at which an audit event is written. */
const stage = z.enum(["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"]);
/** Lists may be left out, or null as in a YAML field without a value. */
const listOf = <T extends z.ZodType>(entry: T) =>
  z
    .array(entry)
    .nullish()
    .transform((list) => list ?? []);
const texts = () => listOf(z.string());

/** Name of an API group. A version in it is a common mistake, which would make the rule match nothing. */
const group = z
  .string()
  .regex(
    /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*)?$/,
    'want the name of an API group such as apps, without a version, or "" for the core group',
  );

/** Path of a non-resource request: a `*` matches the rest of the path, so it may only be the last character. */
const path = z
  .string()
  .refine((text) => text === "*" || text.startsWith("/"), 'want a path that begins with "/", or "*"')
  .refine((text) => !text.slice(0, -1).includes("*"), 'want "*" only as the last character');

/** Resources of one group. Names need resources beside them, because a name alone does not identify an object. */
const resources = z
  .strictObject({ group: group.default(""), resources: texts(), resourceNames: texts() })
  .superRefine(({ resources, resourceNames }, context) => {
    if (resourceNames.length > 0 && resources.length === 0)
      context.addIssue({
        code: "custom",
        path: ["resourceNames"],
        message: "want at least one entry in resources beside it",
      });
  });

/** One rule. The first rule that matches a request determines its level; a list that is empty matches everything. */
const rule = z
  .strictObject({
    level: z.enum(["None", "Metadata", "Request", "RequestResponse"]),
    users: texts(),
    userGroups: texts(),
    verbs: texts(),
    resources: listOf(resources),
    namespaces: texts(),
    nonResourceURLs: listOf(path),
    omitStages: listOf(stage),
    omitManagedFields: z.boolean().optional(),
  })
  .superRefine(({ nonResourceURLs, resources, namespaces }, context) => {
    if (nonResourceURLs.length > 0 && resources.length + namespaces.length > 0)
      context.addIssue({
        code: "custom",
        path: ["nonResourceURLs"],
        message: "want a rule of its own: a rule is for resources and namespaces, or for other paths",
      });
  });

/** The file of `--audit-policy-file`: which requests are recorded, and at which level. */
export const auditPolicySchema = z.strictObject({
  apiVersion: z.literal("audit.o8s.io/v1"),
  kind: z.literal("Policy"),
  metadata: z.record(z.string(), z.unknown()).optional(),
  /** Rules in order of precedence; a request that matches none is not recorded. */
  rules: z.array(rule).min(1),
  omitStages: listOf(stage),
  /** Whether `managedFields` are left out of recorded bodies, where the rule does not say. */
  omitManagedFields: z.boolean().default(false),
});

/** Which requests are recorded, at which level and stages. */
export type AuditPolicyConfiguration = DeepReadonly<
  Pick<z.output<typeof auditPolicySchema>, "rules" | "omitStages" | "omitManagedFields">
>;
