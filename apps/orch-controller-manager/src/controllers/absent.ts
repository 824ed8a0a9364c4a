import { type FlagTable, flagSection } from "@orchernetes/component";

/**
 * A controller of the original that is not implemented. Naming it in `--controllers` is allowed, but causes a warning.
 */
export interface AbsentController {
  readonly name: string;
  /** Its flags, which are accepted and checked. */
  readonly flags?: FlagTable;
}

/** The controllers of the original that are not implemented. */
export const absentControllers: readonly AbsentController[] = [
  {
    name: "attachdetach",
    flags: flagSection("Attach detach controller", {
      "attach-detach-reconcile-sync-period": {
        field: "AttachDetachController.ReconcilerSyncLoopPeriod",
        type: "duration",
        default: "1m0s",
        min: 1001,
        effect: "none",
        help: "Interval between comparisons of attached volumes with desired ones; must be longer than one second.",
      },
      "disable-attach-detach-reconcile-sync": {
        field: "AttachDetachController.DisableAttachDetachReconcilerSync",
        type: "bool",
        default: false,
        effect: "none",
        help: "Disables comparisons of attached volumes with desired ones; pods may then keep stale volumes.",
      },
    }),
  },
];
