import type { ClientConfig } from "@orchernetes/client";
import type { FeatureGates, FeatureName, FlagTable, NamedFile, NamedFiles } from "@orchernetes/component";
import { type ControllerContext, type ControllerShell, runController } from "../shell/controller.ts";

/** The sources of a controller's settings; `Document` is the configuration document of its manager. */
export interface SettingsSource<Document> {
  /** Flags and file, checked, with defaults filled in. */
  readonly document: Document;
  readonly gates: Pick<FeatureGates<FeatureName>, "enabled">;
  /** Reads the files that settings name, and collects their errors. */
  readonly files: NamedFiles;
  /** The file that a field of the document names; the field is given by its dotted path. */
  namedFile(field: string): NamedFile;
  /** How the manager reaches the API server; undefined after an error. */
  readonly client: ClientConfig | undefined;
}

/**
 * The declaration of a controller. Only its folder and the list of controllers refer to it.
 *
 * @typeParam Context what its manager gives it when it starts
 */
export interface ControllerDefinition<Settings, Context extends ControllerContext, Document> {
  /** Name of the controller in `--controllers`. */
  readonly name: string;
  /** Its service account in `orch-system`, which is used with `--use-service-account-credentials`. */
  readonly serviceAccount: string;
  /** Always uses the identity of the manager; `serviceAccount` is then only its name in user agents and events. @default false */
  readonly usesManagerIdentity?: boolean;
  /** @default true */
  readonly enabledByDefault?: boolean;
  /** Source of its events, e.g. `replicaset-controller`. @default the service account */
  readonly eventSource?: string;
  /** Feature gates that affect it. @default none */
  readonly gates?: readonly FeatureName[];
  /** Its flags; each sets a field of the document. @default none */
  readonly flags?: FlagTable;
  /** Computes its settings. Called also for disabled controllers, so that errors are reported. */
  settings?(source: SettingsSource<Document>): Settings | Promise<Settings>;
  /** Declares informers, queues, loops and other work; the shell runs them. Synchronous. */
  build(shell: ControllerShell<Context>, settings: Settings): void;
}

/** A controller in the form in which a manager starts it. */
export interface ControllerDescriptor<Context extends ControllerContext, Document> {
  readonly name: string;
  readonly serviceAccount: string;
  readonly usesManagerIdentity: boolean;
  readonly enabledByDefault: boolean;
  readonly eventSource: string;
  readonly gates: readonly FeatureName[];
  readonly flags: FlagTable;
  /** Computes the settings for {@link ControllerDescriptor.start}. */
  settings(source: SettingsSource<Document>): Promise<unknown>;
  /**
   * Runs until the context's signal aborts. Its informers are requested synchronously, before the promise is returned.
   */
  start(context: Context, settings: unknown): Promise<void>;
}

/** Fills in the defaults of a declaration. Managers export it with their own types. */
export function describeController<Settings, Context extends ControllerContext, Document>(
  definition: ControllerDefinition<Settings, Context, Document>,
): ControllerDescriptor<Context, Document> {
  const { name, serviceAccount, build } = definition;
  return {
    usesManagerIdentity: false,
    enabledByDefault: true,
    eventSource: serviceAccount,
    gates: [],
    flags: {},
    ...definition,
    settings: async (source) => definition.settings?.(source),
    // The types of settings differ, but the manager passes to `start` exactly what `settings` returned.
    start: (context, settings) => runController(name, context, (shell) => build(shell, settings as Settings)),
  };
}
