import type { z } from "zod";
import type { AnyPlugin, ExtensionPoint } from "./framework/extension-point.ts";
import type { ClusterEvent, Plugin } from "./framework/interfaces.ts";
import type { PluginHandle } from "./plugin-handle.ts";

/**
 * What a user's plugin gets from the scheduler. A module need not import anything from it at run time: values come with
 * the handle, and types are erased.
 */
export interface UserPluginHandle extends PluginHandle {
  /** The events that {@link Plugin.events} names. */
  readonly events: typeof ClusterEvent;
}

/**
 * A plugin of a user: the default export of a module that a configuration names, or one of a list of them.
 *
 * @typeParam Args the checked arguments
 */
export interface PluginDefinition<Args = unknown> {
  /** Not that of another plugin. */
  readonly name: string;
  /** The extension points that the plugin implements. */
  readonly points: readonly ExtensionPoint[];
  /** Makes the schema of the arguments. @default the plugin takes none */
  readonly args?: (zod: typeof z) => z.ZodType<Args>;
  /** Creates the plugin for one profile. What it throws ends the scheduler at its start. */
  create(args: Args, handle: UserPluginHandle): AnyPlugin;
}

/** A plugin of a user, with its checked arguments. */
export interface UserPlugin {
  readonly name: string;
  readonly points: readonly ExtensionPoint[];
  create(handle: PluginHandle): Plugin;
}
