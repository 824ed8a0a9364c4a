import { clientConnection, type DeepReadonly, leaderElection, values } from "@orchernetes/config";
import { z } from "zod";
import { pluginArgs } from "./plugin-args.ts";
import { PLUGIN_NAMES } from "./plugin-points.ts";

const { int32 } = values;

const known = (name: string): boolean => PLUGIN_NAMES.includes(name);
const unknownPlugin = `want one of ${PLUGIN_NAMES.join(", ")}`;

/**
 * Schema of the plugins of one extension point. `disabled` may be `*`, for all default plugins. A weight of 0 stands
 * for the plugin's default.
 */
const pluginSet = () =>
  z
    .strictObject({
      enabled: z
        .array(z.strictObject({ name: z.string().refine(known, unknownPlugin), weight: int32(0).default(0) }))
        .default([]),
      disabled: z
        .array(
          z.strictObject({
            name: z.string().refine((name) => name === "*" || known(name), `${unknownPlugin}, or "*"`),
            weight: int32(0).default(0),
          }),
        )
        .default([]),
    })
    .prefault({});

/** The plugins of a profile by extension point. */
const pluginsSchema = z
  .strictObject({
    preEnqueue: pluginSet(),
    queueSort: pluginSet(),
    preFilter: pluginSet(),
    filter: pluginSet(),
    postFilter: pluginSet(),
    preScore: pluginSet(),
    score: pluginSet(),
    reserve: pluginSet(),
    permit: pluginSet(),
    preBind: pluginSet(),
    bind: pluginSet(),
    postBind: pluginSet(),
    multiPoint: pluginSet(),
  })
  .prefault({});

/** Schema of one profile: the plugins for pods with a certain `spec.schedulerName`. */
const profile = z.strictObject({
  schedulerName: z.string().min(1).default("default-scheduler"),
  percentageOfNodesToScore: int32(0, 100).optional(),
  plugins: pluginsSchema,
  pluginConfig: z.array(pluginArgs).default([]),
});

/** Reports names that occur twice in a list. */
function uniqueNames(
  names: readonly string[],
  field: string,
  context: z.RefinementCtx,
  path: (i: number) => PropertyKey[],
) {
  for (const [i, name] of names.entries())
    if (names.indexOf(name) < i)
      context.addIssue({ code: "custom", path: path(i), message: `want ${field} that no other has` });
}

/**
 * Schema of the file of `--config`: `OrchSchedulerConfiguration` of `orchscheduler.config.o8s.io/v1`, with defaults.
 * Durations become milliseconds. Unknown fields, plugins and arguments are errors.
 */
export const schedulerConfigurationSchema = z
  .strictObject({
    apiVersion: z.literal("orchscheduler.config.o8s.io/v1"),
    kind: z.literal("OrchSchedulerConfiguration"),
    parallelism: int32(1).default(16),
    leaderElection: leaderElection({ resourceName: "orch-scheduler" }).prefault({}),
    clientConnection: clientConnection({ qps: 50, burst: 100 }).prefault({}),
    enableProfiling: z.boolean().default(true),
    enableContentionProfiling: z.boolean().default(true),
    percentageOfNodesToScore: int32(0, 100).default(0),
    podInitialBackoffSeconds: z.int().min(1).default(1),
    podMaxBackoffSeconds: z.int().min(1).default(10),
    profiles: z.array(profile).min(1).prefault([{}]),
    extenders: z.array(z.unknown()).max(0, "want an empty list: extenders are not called").default([]),
  })
  .superRefine((config, context) => {
    if (config.podMaxBackoffSeconds < config.podInitialBackoffSeconds)
      context.addIssue({
        code: "custom",
        path: ["podMaxBackoffSeconds"],
        message: "want at least podInitialBackoffSeconds",
      });
    // A pod belongs to the profile of its schedulerName, so two profiles must not have the same one.
    uniqueNames(
      config.profiles.map(({ schedulerName }) => schedulerName),
      "a schedulerName",
      context,
      (i) => ["profiles", i, "schedulerName"],
    );
    for (const [p, { plugins, pluginConfig }] of config.profiles.entries()) {
      uniqueNames(
        pluginConfig.map(({ name }) => name),
        "a plugin",
        context,
        (i) => ["profiles", p, "pluginConfig", i, "name"],
      );
      for (const [point, { enabled }] of Object.entries(plugins))
        uniqueNames(
          enabled.map(({ name }) => name),
          "a plugin",
          context,
          (i) => ["profiles", p, "plugins", point, "enabled", i, "name"],
        );
    }
  });

/** The settings of orch-scheduler, with defaults filled in. Durations are milliseconds. */
export type SchedulerConfiguration = DeepReadonly<z.output<typeof schedulerConfigurationSchema>>;
/** One profile of the configuration. */
export type ProfileConfiguration = SchedulerConfiguration["profiles"][number];
