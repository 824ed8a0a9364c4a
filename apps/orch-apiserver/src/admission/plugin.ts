import type { AdmissionPlugin } from "@orchernetes/apiserver";
import type { Authorizer } from "@orchernetes/auth";
import type { RuleSource } from "../authorization/rule-source.ts";

/** What decides who may grant what. */
export interface Rights {
  readonly authorizers: readonly Authorizer[];
  readonly ruleSources: readonly RuleSource[];
}

/** What plugins are configured by. */
export interface PluginSettings {
  /** Values of the flags that plugins read, in seconds. */
  readonly flags: {
    readonly "default-not-ready-toleration-seconds": number;
    readonly "default-unreachable-toleration-seconds": number;
  };
  readonly featureEnabled: (gate: string) => boolean;
  readonly rights: Rights;
}

/** A plugin that is made from the server's settings. */
export interface ConfiguredPlugin {
  readonly name: string;
  create(settings: PluginSettings): AdmissionPlugin;
}

/** What a plugin's file exports: the plugin itself, or how it is made. */
export type PluginDescriptor = AdmissionPlugin | ConfiguredPlugin;
