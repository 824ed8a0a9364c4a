import { node, pod } from "@orchernetes/testkit";
import { expect, test, vi } from "vitest";
import { podInfo } from "./cache/pod-info.ts";
import { type EventSubject, pluginEventRecorder } from "./plugin-events.ts";

const waiting = podInfo(pod("p").uid("u").build());
const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "default", name: "c" };

test.each<[string, EventSubject, object]>([
  ["a pod", waiting, { apiVersion: "v1", kind: "Pod", namespace: "default", name: "p", uid: "u" }],
  ["a node", node("a").build(), { apiVersion: "v1", kind: "Node", name: "a" }],
  ["any object", claim, claim],
])("an event of a plugin is about %s", (_, about, want) => {
  const event = vi.fn();
  const recorder = pluginEventRecorder({ event });
  const said = { type: "Warning", reason: "TeamBusy", action: "Binding", message: "later" } as const;
  recorder.event(about, said);
  expect(event).toHaveBeenCalledWith(expect.objectContaining(want), "Warning", "TeamBusy", "later", {
    action: "Binding",
  });
  recorder.event(waiting, { ...said, related: about });
  expect(event.mock.lastCall?.[4]).toEqual({ action: "Binding", related: expect.objectContaining(want) });
});
