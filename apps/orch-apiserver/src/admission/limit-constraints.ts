import type { core } from "@orchernetes/api";
import { type Quantity, quantityOf } from "@orchernetes/apimachinery";
import type { Amounts } from "@orchernetes/component-helpers";

/** The requests of a container, pod or claim. */
export interface Usage {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

type Constraint = (name: string, enforced: Quantity, type: string, usage: Usage) => string | undefined;

const minimum: Constraint = (name, enforced, type, { requests, limits }) => {
  const start = `minimum ${name} usage per ${type} is ${enforced}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (request === undefined) return `${start}.  No request is specified`;
  if (request.cmp(enforced) < 0) return `${start}, but request is ${request}`;
  return limit !== undefined && limit.cmp(enforced) < 0 ? `${start}, but limit is ${limit}` : undefined;
};

const maximum: Constraint = (name, enforced, type, { requests, limits }) => {
  const start = `maximum ${name} usage per ${type} is ${enforced}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (limit === undefined) return `${start}.  No limit is specified`;
  if (limit.cmp(enforced) > 0) return `${start}, but limit is ${limit}`;
  return request !== undefined && request.cmp(enforced) > 0 ? `${start}, but request is ${request}` : undefined;
};

/** Claims have requests alone. */
const maximumRequest: Constraint = (name, enforced, type, { requests }) => {
  const start = `maximum ${name} usage per ${type} is ${enforced}`;
  const request = requests.get(name);
  if (request === undefined) return `${start}.  No request is specified`;
  return request.cmp(enforced) > 0 ? `${start}, but request is ${request}` : undefined;
};

const ratio: Constraint = (name, enforced, type, { requests, limits }) => {
  const start = `${name} max limit to request ratio per ${type} is ${enforced}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (request === undefined || request.isZero) return `${start}, but no request is specified or request is 0`;
  if (limit === undefined || limit.isZero) return `${start}, but no limit is specified or limit is 0`;
  const provided = limit.toNumber() / request.toNumber();
  return provided > enforced.toNumber() ? `${start}, but provided ratio is ${provided.toFixed(6)}` : undefined;
};

function apply(
  constraint: Constraint,
  enforced: Readonly<Record<string, string>> | undefined,
  type: string,
  usage: Usage,
): readonly string[] {
  return Object.entries(enforced ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, text]) => constraint(name, quantityOf(text), type, usage) ?? []);
}

/** Errors of a container or a whole pod under one item of a LimitRange: too little, too much, or too high a ratio. */
export function containerErrors(item: core.LimitRangeItem, usage: Usage): readonly string[] {
  return [
    ...apply(minimum, item.min, item.type, usage),
    ...apply(maximum, item.max, item.type, usage),
    ...apply(ratio, item.maxLimitRequestRatio, item.type, usage),
  ];
}

/** Errors of a claim under one item of a LimitRange. */
export function limitErrors(item: core.LimitRangeItem, usage: Usage): readonly string[] {
  return [...apply(minimum, item.min, item.type, usage), ...apply(maximumRequest, item.max, item.type, usage)];
}
