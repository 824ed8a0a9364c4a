import type { BindPlugin } from "../framework/interfaces.ts";
import type { Extender } from "./extender.ts";

/** Name of the binder. Its errors are those of an extender, not of a plugin. */
export const EXTENDER = "Extender";

/** Binds pods by the extender that is interested in them, if there is one that binds. It comes before all other binders. */
export const extenderBinder = (extenders: readonly Extender[]): BindPlugin => ({
  name: EXTENDER,
  async bind(info, { metadata }, _, signal) {
    const binder = extenders.find((one) => one.settings.bindVerb !== "" && one.isInterested(info));
    if (binder === undefined) return "skip";
    await binder.bind(info, metadata.name ?? "", signal);
    return "bound";
  },
});
