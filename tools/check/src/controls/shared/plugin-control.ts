import { type Control, judged, met } from "../../control.ts";
import type { Flags } from "../../evidence/evidence.ts";
import { flagsUnseen } from "./flag-control.ts";

/** Whether a plugin is in the list that a flag has. */
const listed = (flags: Flags, flag: string, plugin: string): boolean =>
  (flags.get(flag) ?? "").split(",").includes(plugin);

/** Whether an admission plugin runs. @param byDefault whether it does without flags */
export const pluginRuns = (flags: Flags, plugin: string, byDefault: boolean): boolean =>
  listed(flags, "enable-admission-plugins", plugin) ||
  (byDefault && !listed(flags, "disable-admission-plugins", plugin));

/** A control about an admission plugin of the API server. Without the command line, /metrics shows that a plugin runs. */
export function pluginControl({
  plugin,
  byDefault = false,
  wanted = true,
  ...texts
}: Pick<Control, "number" | "formerNumber" | "title" | "severity"> & {
  readonly plugin: string;
  readonly byDefault?: boolean;
  readonly wanted?: boolean;
}): Control {
  return {
    ...texts,
    remedy: wanted
      ? byDefault
        ? `orch-apiserver: remove ${plugin} from --disable-admission-plugins`
        : `orch-apiserver --enable-admission-plugins=${plugin},...`
      : `orch-apiserver: remove ${plugin} from --enable-admission-plugins`,
    judge({ daemons, activePlugins }) {
      const facts = daemons["orch-apiserver"];
      if (facts !== undefined) {
        const runs = pluginRuns(facts.flags, plugin, byDefault);
        return judged(runs === wanted, `${plugin} is ${runs ? "enabled" : "not enabled"}`, facts.source);
      }
      if (wanted && activePlugins.has(plugin))
        return met(`${plugin} decides about requests`, "/metrics of the API server");
      return flagsUnseen("orch-apiserver");
    },
  };
}
