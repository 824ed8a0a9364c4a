/**
 * Parts of the lists of sandboxes and containers, for callers that list all of them often: reading a list costs what is read of it.
 *
 * @module
 */
import { ContainerState } from "./container.ts";
import { entriesOf, list, string } from "./fields.ts";
import { type Infer, message } from "./message.ts";
import { PodSandboxState } from "./sandbox.ts";

/** Reads the ids and states of listed sandboxes, and those of their labels that have these names. */
export const sandboxStates = (...labels: readonly string[]) =>
  message({
    items: [1, list(message({ id: [1, string], state: [3, PodSandboxState], labels: [5, entriesOf(...labels)] }))],
  });

/** Reads the ids and states of listed containers, and those of their labels that have these names. */
export const containerStates = (...labels: readonly string[]) =>
  message({
    containers: [1, list(message({ id: [1, string], state: [6, ContainerState], labels: [8, entriesOf(...labels)] }))],
  });

/** A sandbox of {@link sandboxStates}. */
export type ListedSandbox = Infer<ReturnType<typeof sandboxStates>>["items"][number];

/** A container of {@link containerStates}. */
export type ListedContainer = Infer<ReturnType<typeof containerStates>>["containers"][number];
