import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { semanticEqual } from "../../shared/immutable.ts";
import { mandatoryPriorityLevels } from "./mandatory.ts";
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from "./types.ts";

const types = ["Exempt", "Limited"];
// Bounds the memory that the queues of a level use.
const maxQueues = 10_000_000;
// Shuffle sharding (KEP-1040) deals a hand of queues from the bits of one 64-bit hash of the flow. Using all 64 bits
// would make the last card noticeably uneven; with 60 the unevenness is at most 32:33.
const maxEntropyBits = 60;

/**
 * Validates a PriorityLevelConfiguration. The specs of the mandatory objects `exempt` and `catch-all` are fixed: every
 * server needs a level that is never limited, and one for the requests that no other schema matches.
 *
 * @param level - the object; only its name and spec are validated
 * @param shares - name of the concurrency field in the requested version, for the paths of errors. v1beta2 calls it
 *   `assuredConcurrencyShares`
 */
export function validatePriorityLevel(
  { metadata, spec }: PriorityLevelConfiguration,
  shares = "nominalConcurrencyShares",
): FieldError[] {
  const path = field("spec");
  const name = metadata.name ?? "";
  const fixed = Object.hasOwn(mandatoryPriorityLevels, name) ? mandatoryPriorityLevels[name] : undefined;
  if (fixed !== undefined && !semanticEqual(spec, fixed)) {
    return [field.invalid(path, spec, `spec of '${name}' must equal the fixed value`)];
  }
  const errors: FieldError[] = [];
  if ((name === "exempt") !== (spec.type === "Exempt")) {
    const detail = "type must be 'Exempt' if and only if name is 'exempt'";
    errors.push(field.invalid(path.child("type"), spec.type, detail));
  }
  const limited = path.child("limited");
  if (spec.type === "Exempt") {
    if (spec.limited !== undefined) {
      errors.push(field.forbidden(limited, "must be nil if the type is not Limited"));
    }
  } else if (spec.type !== "Limited") {
    errors.push(field.notSupported(path.child("type"), spec.type, types));
  } else if (spec.limited === undefined) {
    errors.push(field.required(limited, "must not be empty when type is Limited"));
  } else {
    errors.push(...validateLimited(spec.limited, shares, limited));
  }
  return errors;
}

/**
 * Validates the limits of a level. Shares are relative: a level gets its part of the server's total concurrency. A
 * level can lend at most 100 % of its nominal limit, but may borrow more than that from others.
 */
function validateLimited(limited: LimitedPriorityLevelConfiguration, shares: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { nominalConcurrencyShares, lendablePercent, borrowingLimitPercent } = limited;
  if (nominalConcurrencyShares <= 0) {
    errors.push(field.invalid(path.child(shares), nominalConcurrencyShares, "must be positive"));
  }
  errors.push(...validateLimitResponse(limited.limitResponse, path.child("limitResponse")));
  if (lendablePercent !== undefined && (lendablePercent < 0 || lendablePercent > 100)) {
    errors.push(field.invalid(path.child("lendablePercent"), lendablePercent, "must be between 0 and 100, inclusive"));
  }
  if (borrowingLimitPercent !== undefined && borrowingLimitPercent < 0) {
    const detail = "if specified, must be a non-negative integer";
    errors.push(field.invalid(path.child("borrowingLimitPercent"), borrowingLimitPercent, detail));
  }
  return errors;
}

/** Validates what happens to requests over the limit: only `Queue` has a queuing configuration. */
function validateLimitResponse({ type, queuing }: LimitResponse, path: FieldPath): FieldError[] {
  const at = path.child("queuing");
  switch (type as string) {
    case "Reject":
      return queuing === undefined
        ? []
        : [field.forbidden(at, "must be nil if limited.limitResponse.type is not Limited")];
    case "Queue":
      return queuing === undefined
        ? [field.required(at, "must not be empty if limited.limitResponse.type is Limited")]
        : validateQueuing(queuing, at);
    default:
      return [field.notSupported(path.child("type"), type, ["Queue", "Reject"])];
  }
}

/**
 * Validates the queues of a level. The checks of `handSize` depend on each other: the number of bits is only computed
 * for hands that are not larger than the deck.
 */
function validateQueuing({ queues, handSize, queueLengthLimit }: QueuingConfiguration, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const mustBePositive = (part: string, value: number): void => {
    if (value <= 0) {
      errors.push(field.invalid(path.child(part), value, "must be positive"));
    }
  };
  mustBePositive("queueLengthLimit", queueLengthLimit);
  mustBePositive("queues", queues);
  if (queues > maxQueues) {
    errors.push(field.invalid(path.child("queues"), queues, `must not be greater than ${maxQueues}`));
  }
  mustBePositive("handSize", handSize);
  const at = path.child("handSize");
  if (handSize > queues) {
    errors.push(field.invalid(at, handSize, `should not be greater than queues (${queues})`));
  } else if (handSize > 0 && Math.ceil(Math.log2(queues) * handSize) > maxEntropyBits) {
    // The number of bits is that of ordered hands with repetition, an upper bound which needs no factorials.
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxEntropyBits}`;
    errors.push(field.invalid(at, handSize, detail));
  }
  return errors;
}
