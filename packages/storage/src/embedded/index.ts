export { type EmbeddedStoreOptions, openEmbeddedStore } from "./embedded-store.ts";
