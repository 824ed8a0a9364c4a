import { expect, test } from "vitest";
import { type ThresholdSettings, thresholdErrors } from "./threshold-errors.ts";

test.each<ThresholdSettings>([
  {},
  { evictionHard: { "memory.available": "100Mi", "nodefs.available": "10%", "pid.available": "0%" } },
  { evictionSoft: { "imagefs.inodesFree": "100%" }, evictionSoftGracePeriod: { "imagefs.inodesFree": "1m30s" } },
  {
    evictionMinimumReclaim: { "memory.available": "0", "nodefs.available": "150%" },
    systemReserved: { cpu: "0", pid: "100" },
  },
])("the threshold %j is valid", (settings) => {
  expect(thresholdErrors(settings)).toEqual([]);
});

test.each<[ThresholdSettings, RegExp]>([
  [{ evictionHard: { memory: "1Gi" } }, /field evictionHard: found "memory"; want memory\.available/],
  [{ evictionHard: { "memory.available": "0" } }, /invalid value "0"; want a quantity .* more than 0/],
  [{ evictionHard: { "memory.available": "-5%" } }, /invalid value "-5%"/],
  [{ evictionHard: { "memory.available": "101%" } }, /invalid value "101%"/],
  [{ evictionHard: { "memory.available": "much" } }, /invalid value "much"/],
  [{ evictionSoftGracePeriod: { "memory.available": "-1s" } }, /want a duration such as 1m30s of 0 or more/],
  [{ evictionMinimumReclaim: { "memory.available": "-1" } }, /0 or more/],
  [
    { evictionMinimumReclaim: { "memory.available": "0%" } },
    /invalid value "0%"; want .* a percentage of more than 0%/,
  ],
  [{ orchReserved: { gpu: "1" } }, /field orchReserved: found "gpu"; want cpu/],
  [{ systemReserved: { cpu: "-1" } }, /field systemReserved\.cpu: invalid value "-1"/],
])("the threshold %j has one error", (settings, message) => {
  const errors = thresholdErrors(settings);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(message);
});
