import { parseDuration, quantityOf } from "@orchernetes/apimachinery";
import { evictionSignals } from "./signals.ts";

/** Resources that can be reserved for the system. */
const reservable = ["cpu", "memory", "ephemeral-storage", "pid"];

type Texts = Readonly<Record<string, string>>;

/** The settings of evictions and reservations, as the configuration gives them. */
export interface ThresholdSettings {
  readonly evictionHard?: Texts;
  readonly evictionSoft?: Texts;
  readonly evictionSoftGracePeriod?: Texts;
  readonly evictionMinimumReclaim?: Texts;
  readonly systemReserved?: Texts;
  readonly orchReserved?: Texts;
}

/** Errors in thresholds and reservations, each beginning with `field`. Pure. */
export function thresholdErrors(settings: ThresholdSettings): readonly string[] {
  const each = (
    field: keyof ThresholdSettings,
    names: readonly string[],
    errorOf: (text: string) => string | undefined,
  ) =>
    Object.entries(settings[field] ?? {}).flatMap(([name, text]) => {
      if (!names.includes(name)) return [`field ${field}: found ${JSON.stringify(name)}; want ${names.join(", ")}`];
      const want = errorOf(text);
      return want === undefined ? [] : [`field ${field}.${name}: invalid value ${JSON.stringify(text)}; want ${want}`];
    });
  return [
    ...each("evictionHard", evictionSignals, minimumError),
    ...each("evictionSoft", evictionSignals, minimumError),
    ...each("evictionSoftGracePeriod", evictionSignals, gracePeriodError),
    ...each("evictionMinimumReclaim", evictionSignals, reclaimError),
    ...each("systemReserved", reservable, reservedError),
    ...each("orchReserved", reservable, reservedError),
  ];
}

/** A percentage of 0 or 100 is valid: it disables the threshold. */
function minimumError(text: string): string | undefined {
  const want = "a quantity such as 500Mi of more than 0, or a percentage from 0% to 100%";
  if (text.endsWith("%")) return percentOf(text) >= 0 && percentOf(text) <= 100 ? undefined : want;
  return signOf(text) > 0 ? undefined : want;
}

/** As in the original, a percentage of 0 is invalid, and one above 100 is not. */
function reclaimError(text: string): string | undefined {
  const isValid = text.endsWith("%") ? percentOf(text) > 0 : signOf(text) >= 0;
  return isValid ? undefined : "a quantity such as 500Mi of 0 or more, or a percentage of more than 0%";
}

/** NaN if it is not a percentage. */
const percentOf = (text: string): number => (/^[+-]?\d+(\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : Number.NaN);

function gracePeriodError(text: string): string | undefined {
  try {
    if (parseDuration(text) >= 0) return undefined;
  } catch {
    // A value that is not a duration gives the same error.
  }
  return "a duration such as 1m30s of 0 or more";
}

function reservedError(text: string): string | undefined {
  return signOf(text) >= 0 ? undefined : "a quantity such as 500m or 1Gi of 0 or more";
}

/** Sign of a quantity; NaN if it is not a quantity. */
function signOf(text: string): number {
  try {
    return quantityOf(text).sign;
  } catch {
    return Number.NaN;
  }
}
