import type { EventRecorder } from "@orchernetes/client";
import type { Node } from "./node-health.ts";

/** Records an event about a node. Such events name nodes by their name alone, as the agents do. */
export function recordNodeEvent(recorder: EventRecorder, { metadata }: Node, reason: string, message: string): void {
  recorder.event({ kind: "Node", apiVersion: "v1", name: metadata.name, uid: metadata.uid }, "Normal", reason, message);
}
