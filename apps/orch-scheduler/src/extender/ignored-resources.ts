/** The managed resources of an extender. */
interface Managing {
  readonly managedResources: readonly { readonly name: string; readonly ignoredByScheduler: boolean }[];
}

/** The resources that extenders decide about alone. */
export const ignoredResources = (extenders: readonly Managing[]): readonly string[] =>
  extenders.flatMap(({ managedResources }) =>
    managedResources.filter(({ ignoredByScheduler }) => ignoredByScheduler).map(({ name }) => name),
  );
