import { z } from "zod";
import type { DeepReadonly } from "../values.ts";

/** Keys and values of labels: an optional DNS subdomain before `/`, and names of at most 63 characters. */
const KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** Whether the text is a list of labels such as `region=west,disk=ssd`. */
const isSelector = (text: string): boolean =>
  text === "" ||
  text.split(",").every((part) => {
    const [key = "", value, ...more] = part.split("=").map((word) => word.trim());
    return value !== undefined && more.length === 0 && KEY.test(key) && VALUE.test(value);
  });

/** The configuration of admission plugin PodNodeSelector; it has no version. */
export const podNodeSelectorConfigurationSchema = z.strictObject({
  podNodeSelectorPluginConfig: z
    .record(z.string(), z.string().refine(isSelector, "want labels such as region=west,disk=ssd"))
    .default({}),
});

/**
 * Node selectors by namespace, as texts such as `region=west,disk=ssd`. The entry `clusterDefaultNodeSelector`
 * applies to namespaces without an entry and without the annotation.
 */
export type PodNodeSelectorConfiguration = DeepReadonly<z.output<typeof podNodeSelectorConfigurationSchema>>;
