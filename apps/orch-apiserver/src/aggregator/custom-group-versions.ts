import type { GroupVersion, Registry } from "@orchernetes/apiserver";

/** The fields of a CustomResourceDefinition that are used here. */
interface Definition {
  readonly spec?: {
    readonly group?: string;
    readonly versions?: readonly { readonly name?: string; readonly served?: boolean }[];
  };
}

/** The group versions that the stored CustomResourceDefinitions serve. */
export class CustomGroupVersions {
  readonly #byDefinition = new Map<string, readonly GroupVersion[]>();
  #following: Promise<void> | undefined;

  /**
   * Follows the definitions. Resolves when all stored ones are known, or at once if the resource is not served. Idempotent.
   *
   * @param onChange called after each later change
   */
  follow(registry: Registry, signal: AbortSignal, onChange: () => void): Promise<void> {
    this.#following ??= this.#follow(registry, signal, onChange);
    return this.#following;
  }

  async #follow(registry: Registry, signal: AbortSignal, onChange: () => void): Promise<void> {
    const store = registry.lookup("apiextensions.o8s.io", "v1", "customresourcedefinitions");
    if (store === undefined) return;
    const synced = Promise.withResolvers<void>();
    let isSynced = false;
    const listener = {
      onEvent: ({ type, name, object }: { readonly type: string; readonly name: string; readonly object: unknown }) => {
        if (type === "DELETED") this.#byDefinition.delete(name);
        else this.#byDefinition.set(name, servedVersions(object as Definition));
        if (isSynced) onChange();
      },
      onSynced: () => {
        isSynced = true;
        synced.resolve();
      },
    };
    store.follow(listener, signal);
    await synced.promise;
  }

  groupVersions(): readonly GroupVersion[] {
    const found = new Map<string, GroupVersion>();
    for (const list of this.#byDefinition.values())
      for (const one of list) found.set(`${one.group}/${one.version}`, one);
    return [...found.values()];
  }
}

/** Returns the group versions that a definition serves. */
function servedVersions({ spec }: Definition): readonly GroupVersion[] {
  const group = spec?.group ?? "";
  if (group === "") return [];
  return (spec?.versions ?? []).flatMap(({ name = "", served }) =>
    served === true && name !== "" ? [{ group, version: name }] : [],
  );
}
