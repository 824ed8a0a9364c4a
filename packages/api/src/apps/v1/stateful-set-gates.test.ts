import { expect, test } from "vitest";
import { context, create, without } from "../../../test/support.ts";
import { workload } from "../../../test/workloads.ts";
import { statefulSets } from "./stateful-set.ts";

test.each([
  ["on", context, {}, 1],
  ["on, stated", context, { maxUnavailable: "50%" }, "50%"],
  ["off", without("MaxUnavailableStatefulSet"), {}, undefined],
])("pods that an update may take at once, with the feature %s", (_, ctx, rollingUpdate, want) => {
  const { object, errors } = create(statefulSets, workload({ updateStrategy: { rollingUpdate } }), undefined, ctx);
  expect([errors, object.spec.updateStrategy.rollingUpdate?.maxUnavailable]).toEqual([[], want]);
});
