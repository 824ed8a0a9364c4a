import { type FieldError, type FieldPath, field, isQualifiedName, parseCidr } from "@orchernetes/apimachinery";
import type { ServiceSpec } from "../types/service.ts";

const onlyLoadBalancers = "may only be used when `type` is 'LoadBalancer'";

/** What only load balancers have: the ranges they serve, a class, and whether they need node ports. */
export function validateLoadBalancer(spec: ServiceSpec, path: FieldPath, errors: FieldError[]): void {
  const isLoadBalancer = spec.type === "LoadBalancer";
  const ranges = spec.loadBalancerSourceRanges ?? [];
  if (ranges.length > 0) {
    // The path's capital letter is what clients have always been told.
    const at = path.child("LoadBalancerSourceRanges");
    if (!isLoadBalancer) {
      errors.push(field.forbidden(at, onlyLoadBalancers));
    }
    if (ranges.some((range) => parseCidr(range.trim()) === undefined)) {
      const detail = "must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ";
      errors.push(field.invalid(at, `[${ranges.join(" ")}]`, detail));
    }
  }
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
