import { createMetrics } from "@orchernetes/component";
import { messageOf } from "@orchernetes/kernel";
import { pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { podInfo } from "../cache/pod-info.ts";
import { cycleInstruments, ProfileMeter } from "../metrics/profile-meter.ts";
import { profileOf } from "../testing/profiles.ts";
import type { PreEnqueuePlugin } from "./interfaces.ts";
import { preEnqueueOf } from "./pre-enqueue.ts";

const open: PreEnqueuePlugin = { name: "Open", preEnqueue: () => undefined };
const closed: PreEnqueuePlugin = { name: "Closed", preEnqueue: () => "not yet" };
const broken: PreEnqueuePlugin = {
  name: "Broken",
  preEnqueue() {
    throw new Error("oops");
  },
};

test.each<[string, readonly PreEnqueuePlugin[], string | undefined, readonly string[]]>([
  ["nothing holds it back", [open, open], undefined, ["PreEnqueue Success", "Open Success"]],
  [
    "the first plugin that holds it back counts",
    [open, closed, broken],
    "Closed",
    ["PreEnqueue UnschedulableAndUnresolvable", "Open Success", "Closed UnschedulableAndUnresolvable"],
  ],
  ["a plugin that fails holds it back", [broken, closed], "Broken", ["PreEnqueue Error", "Broken Error"]],
  ["there are no plugins", [], undefined, ["PreEnqueue Success"]],
])("a pod is examined before it is queued, and that is measured: %s", (_, preEnqueues, name, want) => {
  const metrics = createMetrics();
  const profile = { ...profileOf(), preEnqueues };
  const meter = new ProfileMeter(
    cycleInstruments(metrics),
    profile,
    () => 0,
    () => 0,
  );
  const holds = preEnqueueOf([profile], () => meter.begin());
  const info = podInfo(pod("p").spec({ schedulerName: "default-scheduler" }).build());
  expect(holds(info)?.name).toBe(name);
  const foreign = podInfo(pod("p").spec({ schedulerName: "another" }).build());
  expect(holds(foreign)).toBeUndefined();
  const measured = [
    ...metrics.render().matchAll(/_count\{(?:plugin="(\w+)",)?extension_point="(\w+)",status="(\w+)".* /g),
  ];
  expect(new Set(measured.map(([, plugin, point, status]) => `${plugin ?? point} ${status}`))).toEqual(new Set(want));
});

test("an error of a plugin is reported with the plugin and the pod, because nothing else shows it", () => {
  const reported: string[] = [];
  const holds = preEnqueueOf([{ ...profileOf(), preEnqueues: [open, broken] }], undefined, ({ name }, { key }, error) =>
    reported.push(`${name} ${key} ${messageOf(error)}`),
  );
  expect(holds(podInfo(pod("p").spec({ schedulerName: "default-scheduler" }).build()))?.name).toBe("Broken");
  expect(reported).toEqual(["Broken default/p oops"]);
});
