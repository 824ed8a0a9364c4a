import { core } from "@orchernetes/api";
import { type ApiObject, notFound, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, MutatingAttributes } from "@orchernetes/apiserver";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import type { PluginEntry } from "../plugins.ts";
import type { PluginSettings } from "../shared/plugin.ts";

/** Parts of a server that is not started: nothing is followed, and no service is found. */
export const idleParts: Pick<
  PluginSettings,
  "clock" | "dialer" | "logger" | "resolveService" | "signal" | "whenStarted"
> = {
  clock: systemClock,
  dialer: () => undefined,
  logger: silentLogger,
  resolveService: () => Promise.reject(new Error("there are no services")),
  signal: new AbortController().signal,
  whenStarted: () => undefined,
};

/** Definitions, each with the objects that are stored. */
export type Stored = readonly (readonly [definition: object, objects: readonly object[]])[];

/** A write, and the objects that the registry holds meanwhile. */
export interface Write {
  readonly resource: readonly [group: string, plural: string];
  readonly subresource?: string;
  readonly kind?: string;
  readonly object?: object;
  readonly oldObject?: object;
  readonly name?: string;
  readonly operation?: "CREATE" | "UPDATE" | "DELETE";
  readonly user?: string;
  readonly stored?: Stored;
  readonly dryRun?: boolean;
  readonly now?: Date;
  readonly settings?: Partial<PluginSettings>;
  readonly warn?: (message: string) => void;
  readonly annotate?: (key: string, value: string) => void;
}

/** A context whose registry holds the objects of a row, and nothing else. */
function holding({ stored = [], now = new Date(0), warn, annotate }: Write): AdmissionContext {
  const forDefinition = (definition: ResourceDefinition) => {
    const objects = (stored.find(([held]) => held === definition)?.[1] ?? []) as readonly ApiObject[];
    const named = ({ name }: { readonly name: string }) => objects.find((object) => object.metadata.name === name);
    return {
      recentList: () => objects,
      cached: named,
      async get(ref: { readonly name: string }) {
        const found = named(ref);
        if (found === undefined) throw notFound({ group: definition.group, plural: definition.plural }, ref.name);
        return found;
      },
      create: async (object: ApiObject) => object,
      follow: () => undefined,
    };
  };
  return {
    registry: {
      forDefinition,
      lookupKind: (_group: string, _version: string, kind: string) =>
        kind === "Secret" ? { definition: core.secrets } : undefined,
    },
    now,
    signal: new AbortController().signal,
    warn: warn ?? (() => undefined),
    annotate: annotate ?? (() => undefined),
  } as unknown as AdmissionContext;
}

/** The object after the plugin's two phases, as a server runs them. */
export async function runPlugin(
  entry: Pick<PluginEntry, "name" | "descriptor"> | undefined,
  settings: PluginSettings,
  write: Write,
): Promise<unknown> {
  if (entry?.descriptor === undefined) throw new Error(`no plugin ${entry?.name}`);
  const { descriptor } = entry;
  const plugin = "create" in descriptor ? descriptor.create(settings) : descriptor;
  const { resource, operation = "CREATE", user = "u", dryRun = false } = write;
  const object = structuredClone(write.object);
  const isSecret = resource[1] === "secrets";
  const attributes = {
    operation,
    user: { name: user, groups: user.startsWith("system:node:") ? ["system:nodes"] : [], extra: {} },
    resource: { group: resource[0], version: "v1", resource: resource[1] },
    kind: { group: resource[0], version: "v1", kind: write.kind ?? (isSecret ? "Secret" : "") },
    subresource: write.subresource ?? "",
    namespace: "ns",
    name: write.name ?? "o",
    object,
    oldObject: write.oldObject,
    definition: isSecret ? core.secrets : undefined,
    options: {},
    dryRun,
  } as unknown as MutatingAttributes & AdmissionAttributes;
  const context = holding(write);
  if (!plugin.handles(operation)) return object;
  await plugin.admit?.(attributes, context);
  await plugin.validate?.(attributes, context);
  return object;
}
