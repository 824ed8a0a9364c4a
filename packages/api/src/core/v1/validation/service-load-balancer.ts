import { type FieldError, type FieldPath, field, isQualifiedName, parseCidr } from "@orchernetes/apimachinery";
import type { Service, ServiceSpec } from "../types/service.ts";

const rangesAnnotation = "service.beta.orchernetes.io/load-balancer-source-ranges";
const onlyLoadBalancers = "may only be used when `type` is 'LoadBalancer'";

/** The fields of load balancers: the ranges they serve, a class, and whether they need node ports. */
export function validateLoadBalancer({ metadata, spec }: Service, path: FieldPath, errors: FieldError[]): void {
  const isLoadBalancer = spec.type === "LoadBalancer";
  validateSourceRanges(spec, metadata.annotations?.[rangesAnnotation], path, errors);
  const { allocateLoadBalancerNodePorts: allocate, loadBalancerClass } = spec;
  if (allocate !== undefined && !isLoadBalancer) {
    errors.push(field.forbidden(path.child("allocateLoadBalancerNodePorts"), onlyLoadBalancers));
  }
  if (allocate === undefined && isLoadBalancer) {
    const detail = "field is required when `type` is 'LoadBalancer'";
    errors.push(field.required(path.child("allocateLoadBalancerNodePorts"), detail));
  }
  if (loadBalancerClass === undefined) {
    return;
  }
  const at = path.child("loadBalancerClass");
  if (isLoadBalancer) {
    errors.push(...isQualifiedName(loadBalancerClass).map((text) => field.invalid(at, loadBalancerClass, text)));
  } else {
    errors.push(field.forbidden(at, onlyLoadBalancers));
  }
}

/** Ranges of clients in the field or, where that is empty, in the annotation that came before it. */
function validateSourceRanges(
  { type, loadBalancerSourceRanges = [] }: ServiceSpec,
  annotation: string | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const inField = loadBalancerSourceRanges.length > 0;
  if (!inField && annotation === undefined) {
    return;
  }
  // The path has a capital letter in Kubernetes 1.27, too.
  const at = inField ? path.child("LoadBalancerSourceRanges") : field("metadata", "annotations").key(rangesAnnotation);
  if (type !== "LoadBalancer") {
    errors.push(field.forbidden(at, onlyLoadBalancers));
  }
  const text = annotation?.trim() ?? "";
  const ranges = inField ? loadBalancerSourceRanges : text === "" ? [] : text.split(",");
  if (ranges.some((range) => parseCidr(range.trim()) === undefined)) {
    const detail = "must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ";
    errors.push(field.invalid(at, inField ? `[${ranges.join(" ")}]` : annotation, detail));
  }
}
