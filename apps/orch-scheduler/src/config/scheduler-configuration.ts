import { clientConnection, type DeepReadonly, leaderElection, values } from "@orchernetes/config";
import { z } from "zod";
import { EXTENSION_POINTS, type ExtensionPoint } from "../framework/extension-point.ts";
import { extenders } from "./extender-configuration.ts";
import { ARGUMENTS } from "./plugin-args.ts";
import { INVALID_IN_V1 } from "./plugin-points.ts";
import { API_VERSIONS } from "./versions.ts";
import { withoutNulls } from "./without-nulls.ts";

const { int32, int64 } = values;

const pluginReference = () => z.strictObject({ name: z.string().min(1), weight: int32(0).default(0) });

/**
 * Schema of the plugins of one extension point. `disabled` may be `*`, for all default plugins; names that no plugin has
 * are ignored there, as in the original. A weight of 0 is 1.
 */
const pluginSet = () =>
  z
    .strictObject({ enabled: z.array(pluginReference()).default([]), disabled: z.array(pluginReference()).default([]) })
    .superRefine(({ enabled, disabled }, context) => {
      for (const [list, names] of [
        ["enabled", enabled],
        ["disabled", disabled],
      ] as const)
        requireUnique(
          names.map(({ name }) => name),
          context,
          (i) => [list, i, "name"],
        );
    })
    .prefault({});

/** Reports names that occur twice in a list. */
function requireUnique(names: readonly string[], context: z.RefinementCtx, path: (i: number) => PropertyKey[]): void {
  for (const [i, name] of names.entries())
    if (names.indexOf(name) < i) context.addIssue({ code: "custom", path: path(i), message: "duplicate value" });
}

type PluginSets = { readonly [P in ExtensionPoint | "multiPoint"]: ReturnType<typeof pluginSet> };

/** The plugins of a profile by extension point. */
const pluginSets = Object.fromEntries(
  [...EXTENSION_POINTS, "multiPoint"].map((point) => [point, pluginSet()]),
) as unknown as PluginSets;

/**
 * Arguments of a plugin. Those of the scheduler's own plugins are checked by their schemas; `module` is the file of a
 * user's plugin, which checks its arguments itself.
 */
const pluginConfig = z
  .strictObject({ name: z.string().min(1), module: z.string().optional(), args: z.unknown().optional() })
  .transform(({ name, module, args }, context): PluginConfig => {
    if (module !== undefined) return { name, module, args };
    if (!isArgumentName(name)) {
      const message = `want a plugin with arguments (${Object.keys(ARGUMENTS).join(", ")}), or field module with a path`;
      context.addIssue({ code: "custom", path: ["name"], message });
      return z.NEVER;
    }
    const result = ARGUMENTS[name].safeParse(args ?? {});
    if (result.success) return { name, args: result.data };
    for (const issue of result.error.issues) context.addIssue({ ...issue, path: ["args", ...issue.path] } as never);
    return z.NEVER;
  });

/** The checked arguments of a plugin. */
interface PluginConfig {
  readonly name: string;
  /** Absolute path of a user's plugin. */
  readonly module?: string;
  readonly args: unknown;
}

const isArgumentName = (name: string): name is keyof typeof ARGUMENTS => Object.hasOwn(ARGUMENTS, name);

const share = () => int32().refine((percentage) => percentage >= 0 && percentage <= 100, "not in valid range [0-100]");

/** Schema of one profile: the plugins for pods with a certain `spec.schedulerName`. */
const profile = z
  .strictObject({
    schedulerName: z.string().min(1).optional(),
    percentageOfNodesToScore: share().optional(),
    plugins: z.strictObject(pluginSets).prefault({}),
    pluginConfig: z.array(pluginConfig).default([]),
  })
  .superRefine((one, context) => {
    const names = one.pluginConfig.map(({ name }) => name);
    requireUnique(names, context, (i) => ["pluginConfig", i, "name"]);
  });

/**
 * The profiles with their names. As in the original, an empty list is the default profile, and only a profile that is the only one
 * has a default name.
 */
function named(given: readonly z.output<typeof profile>[], context: z.RefinementCtx) {
  const profiles = given.length > 0 ? given : [profile.parse({})];
  return profiles.map((one, i) => {
    if (one.schedulerName === undefined && profiles.length > 1)
      context.addIssue({
        code: "custom",
        path: [i, "schedulerName"],
        message: "required if there are several profiles",
      });
    return { ...one, schedulerName: one.schedulerName ?? "default-scheduler" };
  });
}

/** Reports a deprecated plugin that a configuration of v1 enables at an extension point. */
function requireNoDeprecatedPlugin(
  { apiVersion, profiles }: { readonly apiVersion: string; readonly profiles: ReturnType<typeof named> },
  context: z.RefinementCtx,
): void {
  if (apiVersion !== API_VERSIONS[0]) return;
  const message = `was invalid in version "${apiVersion}" (OrchSchedulerConfiguration is version "${apiVersion}")`;
  for (const [i, { plugins }] of profiles.entries())
    for (const point of EXTENSION_POINTS)
      for (const [j, { name }] of plugins[point].enabled.entries())
        if (name === INVALID_IN_V1)
          context.addIssue({
            code: "custom",
            path: ["profiles", i, "plugins", point, "enabled", j, "name"],
            message,
          });
}

/**
 * Schema of the file of `--config`: `OrchSchedulerConfiguration` of `orchscheduler.config.o8s.io/v1` or v1beta3, with
 * defaults. Durations become milliseconds. Unknown fields and arguments are errors; whether plugins exist at their points
 * is checked when the modules of users are loaded. The messages are the original's.
 */
export const schedulerConfigurationSchema = z
  .strictObject({
    apiVersion: z.enum(API_VERSIONS),
    kind: z.literal("OrchSchedulerConfiguration"),
    parallelism: int32()
      .refine((parallelism) => parallelism > 0, "should be an integer value greater than zero")
      .default(16),
    leaderElection: leaderElection({ resourceName: "orch-scheduler" }).prefault({}),
    clientConnection: clientConnection({ qps: 50, burst: 100 }).prefault({}),
    enableProfiling: z.boolean().default(true),
    enableContentionProfiling: z.boolean().default(true),
    percentageOfNodesToScore: share().default(0),
    podInitialBackoffSeconds: int64()
      .refine((seconds) => seconds > 0, "must be greater than 0")
      .default(1),
    podMaxBackoffSeconds: int64().default(10),
    profiles: z.array(profile).prefault([{}]).transform(named),
    extenders,
  })
  .superRefine(requireNoDeprecatedPlugin)
  .superRefine(({ podInitialBackoffSeconds, podMaxBackoffSeconds, profiles }, context) => {
    if (podMaxBackoffSeconds < podInitialBackoffSeconds)
      context.addIssue({
        code: "custom",
        path: ["podMaxBackoffSeconds"],
        message: "must be greater than or equal to PodInitialBackoffSeconds",
      });
    // A pod belongs to the profile of its schedulerName, so two profiles must not have the same one.
    const names = profiles.map(({ schedulerName }) => schedulerName);
    requireUnique(names, context, (i) => ["profiles", i, "schedulerName"]);
  });

/** Schema of a file that may have `null` in place of fields, see {@link withoutNulls}. */
export const schedulerConfigurationFile = z.preprocess(withoutNulls, schedulerConfigurationSchema);

/** The settings of orch-scheduler, with defaults filled in. Durations are milliseconds. */
export type SchedulerConfiguration = DeepReadonly<z.output<typeof schedulerConfigurationSchema>>;
/** One profile of the configuration. */
export type ProfileConfiguration = SchedulerConfiguration["profiles"][number];
