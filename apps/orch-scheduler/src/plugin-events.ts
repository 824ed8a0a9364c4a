import { core } from "@orchernetes/api";
import { type EventRecorder, type EventType, type ObjectReference, referenceTo } from "@orchernetes/client";
import type { PodInfo } from "./cache/pod-info.ts";

/** What an event of a plugin is about: a pod, a node, or a reference to any object. */
export type EventSubject = PodInfo | core.Node | ObjectReference;

/** An event that a plugin records. */
export interface PluginEvent {
  /** A `Warning` is about something that may need attention. */
  readonly type: EventType;
  /** Why it occurred: a CamelCase word for machines, such as `TeamBusy`. */
  readonly reason: string;
  /** What was done, or attempted: a CamelCase word, such as `Binding`. */
  readonly action: string;
  /** For people, cut at 1024 characters. */
  readonly message: string;
  /** Another object that the event concerns. */
  readonly related?: EventSubject;
}

/**
 * Records events with the name of the profile as their reporter (upstream: `EventRecorder` of `framework.Handle`). It never throws,
 * and never waits. Repetitions are counted instead of written again, and if there are too many events, some are dropped.
 */
export interface PluginEventRecorder {
  event(about: EventSubject, event: PluginEvent): void;
}

/** The recorder of a profile's plugins. */
export const pluginEventRecorder = (recorder: Pick<EventRecorder, "event">): PluginEventRecorder => ({
  event: (about, { type, reason, action, message, related }) =>
    recorder.event(referenceOf(about), type, reason, message, {
      action,
      ...(related !== undefined && { related: referenceOf(related) }),
    }),
});

/** Records nothing: for decisions that are not carried out. */
export const silentEventRecorder: PluginEventRecorder = { event: () => undefined };

function referenceOf(subject: EventSubject): ObjectReference {
  if ("pod" in subject) return referenceTo(core.pods, subject.pod);
  return "metadata" in subject ? referenceTo(core.nodes, subject) : subject;
}
