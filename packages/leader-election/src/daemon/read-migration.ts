import { flagFile, type NamedFile, type NamedFiles } from "@orchernetes/component";
import { type ControllerLock, controllerLocks, type MigratedControllers } from "./controller-locks.ts";
import { type ElectionSection, type ElectionSettings, electionOf } from "./election-settings.ts";

/** A second election, for the controllers that move between managers. */
export interface LeaderMigration {
  readonly election: ElectionSettings;
  /** The lock under which this manager runs a controller. */
  lockOf(controller: string): ControllerLock;
}

/** The fields of section `Generic` of a manager's configuration that are about elections. */
export interface MigrationSection {
  readonly LeaderElection: ElectionSection;
  readonly LeaderMigrationEnabled: boolean;
  readonly LeaderMigration: Migration;
}

interface Migration extends MigratedControllers {
  readonly leaderName: string;
  readonly resourceLock: string;
}

/** Where a migration is read from. */
export interface MigrationSource {
  /** Name of the manager: the `component` of its controllers. */
  readonly component: string;
  readonly flags: { readonly "leader-migration-config": string };
  /** Undefined after an error: then only the file is checked. */
  readonly generic: MigrationSection | undefined;
  /** What gave a field its value, for errors. */
  readonly origin: (field: string) => string;
  /** Takes errors. */
  readonly files: NamedFiles;
}

/** A migration, and what should be said about it. */
export interface ReadMigration {
  /** Undefined if it is not enabled, there is no election, or after an error. */
  readonly migration: LeaderMigration | undefined;
  readonly warnings: readonly string[];
}

/**
 * Reads the migration of controllers between managers: the file of `--leader-migration-config`, else field `Generic.LeaderMigration` of the
 * configuration, else that of the cloud controllers. The file is checked even if the migration is not enabled.
 */
export async function readMigration(source: MigrationSource): Promise<ReadMigration> {
  const { component, flags, generic, files } = source;
  const file = flagFile(flags, "leader-migration-config");
  const named = await files.check(file, (path) => migrationIn(path, file, files));
  if (generic?.LeaderMigrationEnabled !== true) {
    const ignored = "flag --leader-migration-config has no effect without --enable-leader-migration";
    return { migration: undefined, warnings: generic === undefined || file.path === "" ? [] : [ignored] };
  }
  const migration = file.path === "" ? await ofConfiguration(generic.LeaderMigration, source) : named;
  if (migration === undefined) return { migration: undefined, warnings: [] };
  const { LeaderElection: main } = generic;
  const election = electionOf({ ...main, resourceLock: "leases", resourceName: migration.leaderName });
  if (election === undefined)
    return { migration: undefined, warnings: ["leader migration has no effect without leader election"] };
  return { migration: { election, lockOf: controllerLocks(migration, component) }, warnings: [] };
}

/** @throws ConfigFileError */
async function migrationIn(path: string, file: NamedFile, files: NamedFiles): Promise<Migration | undefined> {
  // Loaded for those who name such a file: schemas cost start-up time.
  const [{ parseConfig, readConfigDocument }, { leaderMigrationConfigurationSchema }] = await Promise.all([
    import("@orchernetes/config/load-config-file"),
    import("@orchernetes/config/leader-migration-configuration"),
  ]);
  const from = JSON.stringify(path);
  const migration = parseConfig(await readConfigDocument(path, from), leaderMigrationConfigurationSchema, from);
  return usable(migration, `${file.from}: ${from}, field resourceLock`, files);
}

async function ofConfiguration(
  { leaderName, resourceLock, controllerLeaders }: Migration,
  { origin, files }: MigrationSource,
): Promise<Migration | undefined> {
  const field = "Generic.LeaderMigration";
  if (leaderName === "" && resourceLock === "" && controllerLeaders.length === 0)
    return (await import("@orchernetes/config/leader-migration-configuration")).defaultLeaderMigration;
  if (leaderName === "") files.errors.push(`${origin(`${field}.leaderName`)}: missing; want the name of a lock`);
  return usable(
    { leaderName, resourceLock: resourceLock === "" ? "leases" : resourceLock, controllerLeaders },
    origin(`${field}.resourceLock`),
    files,
  );
}

/** The API takes the former locks, but their objects are not locked any more. */
function usable<M extends Migration>(migration: M, from: string, { errors }: NamedFiles): M | undefined {
  if (migration.resourceLock === "leases") return migration;
  errors.push(`${from}: invalid value ${JSON.stringify(migration.resourceLock)}; this lock was removed, want "leases"`);
  return undefined;
}
