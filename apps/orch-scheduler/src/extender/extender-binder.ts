import type { BindPlugin } from "../framework/interfaces.ts";
import type { Extender } from "./extender.ts";

/** Name of the binder. Its errors are those of an extender, not of a plugin. */
export const EXTENDER = "Extender";

/**
 * Binds pods by the extender that is interested in them, if there is one that binds. It comes before all other binders.
 *
 * @param checkWrite throws if this scheduler must not write any more: an extender does not know the lease under which the node was
 * chosen; @default it may write
 */
export const extenderBinder = (
  extenders: readonly Extender[],
  checkWrite: () => void = () => undefined,
): BindPlugin => ({
  name: EXTENDER,
  async bind(info, { metadata }, _, signal) {
    const binder = extenders.find((one) => one.settings.bindVerb !== "" && one.isInterested(info));
    if (binder === undefined) return "skip";
    checkWrite();
    await binder.bind(info, metadata.name ?? "", signal);
    return "bound";
  },
});
