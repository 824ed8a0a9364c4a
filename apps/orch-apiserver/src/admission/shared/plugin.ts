import type { AdmissionPlugin, Registry } from "@orchernetes/apiserver";
import type { Metrics } from "@orchernetes/component";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { Rights } from "../../authorization/rights.ts";
import type { Egress } from "../../egress/create-egress.ts";
import type { ExpressionMetrics } from "../../metrics/expression-metrics.ts";
import type { PluginConfigurations } from "../configuration/plugin-configurations.ts";

/** Begins to follow the objects that a plugin needs, until the signal aborts. Resolves when all that are stored are known. */
export type FollowObjects = (registry: Registry, signal: AbortSignal) => Promise<void>;

/** Finds the address behind a port of a service. */
type ResolveService = (
  registry: Registry,
  service: { readonly namespace: string; readonly name: string; readonly port: number },
) => Promise<{ readonly host: string; readonly port: number }>;

/** What plugins are configured by. */
export interface PluginSettings {
  /** Values of the flags that plugins read, in seconds. */
  readonly flags: {
    readonly "default-not-ready-toleration-seconds": number;
    readonly "default-unreachable-toleration-seconds": number;
  };
  readonly featureEnabled: (gate: string) => boolean;
  readonly rights: Rights;
  /** What `--admission-control-config-file` says. */
  readonly configuration: PluginConfigurations;
  /** Where plugins register the metrics of what they decide. */
  readonly metrics: Metrics;
  /** The address at which the server behind a port of a service is reached. @throws Error when it leads nowhere */
  readonly resolveService: ResolveService;
  /** How connections into a network are opened; undefined: directly. */
  readonly dialer: Egress["dialer"];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends connections to webhooks. */
  readonly signal: AbortSignal;
  /** Registers what the plugin follows: called when the watch caches are filled; the server is ready when it resolves. */
  readonly whenStarted: (follow: FollowObjects) => void;
  /** Where plugins measure expressions. */
  readonly expressions: ExpressionMetrics;
}

/** A plugin that is made from the server's settings. */
export interface ConfiguredPlugin {
  readonly name: string;
  create(settings: PluginSettings): AdmissionPlugin;
}

/** What a plugin's file exports: the plugin itself, or how it is made. */
export type PluginDescriptor = AdmissionPlugin | ConfiguredPlugin;

/**
 * Continues with a value: at once if it is known, else when it is available. What a plugin needs is in the watch cache nearly
 * always, and then admission of the write does not yield.
 */
export function withKnown<T, R>(value: T | Promise<T>, next: (value: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<R>>) : next(value);
}
