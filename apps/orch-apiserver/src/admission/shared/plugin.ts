import type { AdmissionPlugin, Registry } from "@orchernetes/apiserver";
import type { Metrics } from "@orchernetes/component";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { Rights } from "../../authorization/rights.ts";
import type { Egress } from "../../egress/create-egress.ts";
import type { ExpressionMetrics } from "../../metrics/expression-metrics.ts";
import type { PluginConfigurations } from "../configuration/plugin-configurations.ts";

/** Follows the objects that a plugin needs until the signal aborts. Resolves when all stored ones are known. */
export type FollowObjects = (registry: Registry, signal: AbortSignal) => Promise<void>;

/** Finds the address behind a port of a service. */
type ResolveService = (
  registry: Registry,
  service: { readonly namespace: string; readonly name: string; readonly port: number },
) => Promise<{ readonly host: string; readonly port: number }>;

/** Settings from which plugins are created. */
export interface PluginSettings {
  /** Values of the flags that plugins read, in seconds. */
  readonly flags: {
    readonly "default-not-ready-toleration-seconds": number;
    readonly "default-unreachable-toleration-seconds": number;
  };
  readonly featureEnabled: (gate: string) => boolean;
  readonly rights: Rights;
  /** The content of `--admission-control-config-file`. */
  readonly configuration: PluginConfigurations;
  /** Where plugins register the metrics of what they decide. */
  readonly metrics: Metrics;
  /** Returns the address of the server behind a port of a service. @throws Error if there is none */
  readonly resolveService: ResolveService;
  /** Returns what opens connections into a network; undefined if they are opened directly. */
  readonly dialer: Egress["dialer"];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Closes connections to webhooks. */
  readonly signal: AbortSignal;
  /** Registers what the plugin follows: called when the watch caches are filled; the server is ready when it resolves. */
  readonly whenStarted: (follow: FollowObjects) => void;
  /** Where plugins measure expressions. */
  readonly expressions: ExpressionMetrics;
}

/** A plugin that is created from the settings of the server. */
export interface ConfiguredPlugin {
  readonly name: string;
  create(settings: PluginSettings): AdmissionPlugin;
}

/** What the file of a plugin exports: the plugin, or how it is created. */
export type PluginDescriptor = AdmissionPlugin | ConfiguredPlugin;

/**
 * Continues with a value: at once if it is known, else when it is available. What a plugin needs is in the watch cache nearly
 * always, and then admission of the write does not yield.
 */
export function withKnown<T, R>(value: T | Promise<T>, next: (value: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<R>>) : next(value);
}
