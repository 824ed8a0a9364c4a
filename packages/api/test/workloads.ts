/** A container that every rule accepts. */
export const container = { name: "c", image: "localhost/busybox:1" };

/** A pod template with the labels that {@link selector} selects. */
export const template = { metadata: { labels: { app: "x" } }, spec: { containers: [container] } };

export const selector = { matchLabels: { app: "x" } };

/** A workload with this name and spec, selector and template included. */
export const workload = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: "w", ...metadata },
  spec: { selector, template, ...spec },
});

const printedSelector = (labels: string): string =>
  `v1.LabelSelector{MatchLabels:${labels}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}`;

/** Errors that several workloads have in common. */
export const mismatch =
  'spec.template.metadata.labels: Invalid value: map[string]string{"app":"x"}: `selector` does not match template `labels`';
export const emptySelector = (kind: string): string =>
  `spec.selector: Invalid value: ${printedSelector("map[string]string(nil)")}: empty selector is invalid for ${kind}`;
export const immutableSelector = (labels: string): string =>
  `spec.selector: Invalid value: ${printedSelector(`map[string]string${labels}`)}: field is immutable`;
export const notNegative = (path: string, value = -1): string =>
  `${path}: Invalid value: ${value}: must be greater than or equal to 0`;
