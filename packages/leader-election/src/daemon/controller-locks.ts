/** Which controllers are led by a lock of their own, while they move from one controller manager to another (KEP-2436). */
export interface MigratedControllers {
  readonly controllerLeaders: readonly {
    readonly name: string;
    /** The manager that runs it; `*`: whichever holds the lock. */
    readonly component: string;
  }[];
}

/** The lock under which a manager runs a controller; `none`: another manager runs it. */
export type ControllerLock = "main" | "migration" | "none";

/**
 * Tells the lock of a controller by its name: that of the migration for those listed for this manager or for all, none for those that
 * are listed for another manager only, the main lock for all others. Of two entries for a name the last one counts.
 *
 * @param component name of the manager
 */
export function controllerLocks(
  { controllerLeaders }: MigratedControllers,
  component: string,
): (controller: string) => ControllerLock {
  const locks = new Map<string, ControllerLock>(
    controllerLeaders.map((leader) => [
      leader.name,
      leader.component === component || leader.component === "*" ? "migration" : "none",
    ]),
  );
  return (controller) => locks.get(controller) ?? "main";
}
