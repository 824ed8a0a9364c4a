import { parseLabelSelector, type Selector } from "@orchernetes/apimachinery";
import { messageOf } from "@orchernetes/kernel";
import type { Pod } from "./metrics/pod-groups.ts";
import type { Measured } from "./reconcile.ts";

type InvalidSelector = Extract<Measured, { type: "invalidSelector" }>;

/** Parses the selector of a scale, or returns why it cannot be used. */
export function selectorOfScale(text: string | undefined): Selector | InvalidSelector {
  if (text === undefined || text === "") {
    return {
      type: "invalidSelector",
      reason: "InvalidSelector",
      message: "the HPA target's scale is missing a selector",
      error: "selector is required",
    };
  }
  try {
    return parseLabelSelector(text);
  } catch (error) {
    const message = `couldn't convert selector into a corresponding internal selector object: ${messageOf(error)}`;
    return { type: "invalidSelector", reason: "InvalidSelector", message, error: message };
  }
}

/**
 * Detects autoscalers that select the same pods: they would work against each other.
 *
 * @param pods the pods that match the selector
 * @param others selectors of all autoscalers in the namespace by name, including this one
 */
export function ambiguity(
  selector: Selector,
  namespace: string,
  pods: readonly Pod[],
  others: ReadonlyMap<string, Selector>,
): InvalidSelector | undefined {
  const names: string[] = [];
  for (const [name, other] of others) {
    if (other === selector || pods.some(({ metadata }) => other.matches(metadata.labels))) names.push(name);
  }
  if (names.length < 2) return undefined;
  const list = names.sort().map((name) => `${namespace}/${name}`);
  const message = `pods by selector ${selector} are controlled by multiple HPAs: [${list.join(" ")}]`;
  return { type: "invalidSelector", reason: "AmbiguousSelector", message, error: message };
}
