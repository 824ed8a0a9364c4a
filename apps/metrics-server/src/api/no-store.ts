import { asRevision, type Store, StoreError } from "@orchernetes/storage";

const revision = asRevision(0);
const none = (): Promise<never> => Promise.reject(new StoreError("Unavailable", "this server stores nothing"));

/** The store of a server that stores nothing: it is empty, and accepts no writes. */
export const noStore: Store = {
  get: async () => undefined,
  list: async () => ({ items: [], revision, more: false }),
  commit: none,
  async *watch(_, { signal }) {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  },
  revision: async () => revision,
  compact: none,
  count: async () => 0,
  health: async () => undefined,
  sizeBytes: async () => undefined,
  close: async () => undefined,
};
