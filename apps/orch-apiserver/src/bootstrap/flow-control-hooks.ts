import type { FlowController } from "@orchernetes/apiserver";
import { systemClock } from "@orchernetes/kernel";
import { followFlowControl } from "../flow-control.ts";
import type { PostStartHook } from "../post-start/hooks.ts";
import { flowControlObjects } from "./flow-control-objects.ts";
import { keepEnsured } from "./keep-ensured.ts";

/** The filter is active from the first request on. */
const filterReady = (name: string): PostStartHook => ({ name, run: () => Promise.resolve() });

/** Creates the objects of API priority and fairness and then watches them; if it is disabled, requests are only counted. */
export function flowControlHooks(controller: FlowController | undefined): readonly PostStartHook[] {
  if (controller === undefined) return [filterReady("max-in-flight-filter")];
  const made = Promise.withResolvers<void>();
  const producer = keepEnsured(flowControlObjects, systemClock);
  return [
    filterReady("priority-and-fairness-filter"),
    {
      name: producer.name,
      async run(context) {
        await producer.run(context);
        made.resolve();
      },
    },
    {
      name: "priority-and-fairness-config-consumer",
      async run({ registry, signal }) {
        await made.promise;
        followFlowControl(controller, registry, signal);
      },
    },
  ];
}
