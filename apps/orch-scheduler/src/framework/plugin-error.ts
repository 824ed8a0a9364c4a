import { messageOf } from "@orchernetes/kernel";

/** The error of a plugin, with the original's text about what was run, which names the plugin. */
export const pluginError = (running: string, cause: unknown): Error =>
  new Error(`running ${running}: ${messageOf(cause)}`, { cause });
