import { binaryExponents, decimalExponents, type QuantityFormat, splitQuantity } from "./grammar.ts";

const nano = 1_000_000_000n;
const milliInNanos = 1_000_000n;
/** 2^63-1, the largest amount: larger ones with too many digits are reduced to it, as in Kubernetes. */
const maxValue = (1n << 63n) - 1n;
const zeros = (count: number): bigint => 10n ** BigInt(count);

const decimalSuffix = new Map([...decimalExponents].map(([suffix, exponent]) => [exponent, suffix]));
const binarySuffix = new Map([...binaryExponents].map(([suffix, exponent]) => [exponent, suffix]));
binarySuffix.set(0, "");

/** Divides and rounds away from zero, so that a small request never becomes zero. */
function divideUp(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return quotient * by === value ? quotient : quotient + (value < 0n ? -1n : 1n);
}

/**
 * An exact amount with nine decimal places, in the notation of resources: `100m`, `1Gi`, `12e6`. Immutable. See
 * {@link parseQuantity}.
 */
export class Quantity {
  readonly #nanos: bigint;
  readonly format: QuantityFormat;

  /** @param nanos the amount in billionths */
  constructor(nanos: bigint, format: QuantityFormat = "DecimalSI") {
    this.#nanos = nanos;
    this.format = format;
  }

  /** Creates a quantity from a whole number. */
  static of(value: number | bigint, format: QuantityFormat = "DecimalSI"): Quantity {
    return new Quantity(BigInt(value) * nano, format);
  }

  /** Creates a quantity from a whole number of thousandths. */
  static ofMilli(value: number | bigint, format: QuantityFormat = "DecimalSI"): Quantity {
    return new Quantity(BigInt(value) * milliInNanos, format);
  }

  /** The amount in billionths. */
  get nanos(): bigint {
    return this.#nanos;
  }

  get isZero(): boolean {
    return this.#nanos === 0n;
  }

  /** -1, 0 or 1. */
  get sign(): -1 | 0 | 1 {
    return this.#nanos > 0n ? 1 : this.#nanos < 0n ? -1 : 0;
  }

  /** -1, 0 or 1 if this is less than, equal to or more than `other`, whatever their formats. */
  cmp(other: Quantity): -1 | 0 | 1 {
    return this.#nanos < other.#nanos ? -1 : this.#nanos > other.#nanos ? 1 : 0;
  }

  /** The sum; it has this quantity's format, or the other's if this is zero. */
  add(other: Quantity): Quantity {
    return new Quantity(this.#nanos + other.#nanos, this.isZero ? other.format : this.format);
  }

  /** The difference; format as in {@link add}. */
  sub(other: Quantity): Quantity {
    return new Quantity(this.#nanos - other.#nanos, this.isZero ? other.format : this.format);
  }

  neg(): Quantity {
    return new Quantity(-this.#nanos, this.format);
  }

  /** The next whole thousandth away from zero, the precision of resource lists. */
  roundUpToMilli(): Quantity {
    const rounded = divideUp(this.#nanos, milliInNanos) * milliInNanos;
    return rounded === this.#nanos ? this : new Quantity(rounded, this.format);
  }

  /** The amount as a whole number, rounded away from zero. Exact up to 2^53. */
  value(): number {
    return Number(divideUp(this.#nanos, nano));
  }

  /** The amount in thousandths, rounded away from zero. Exact up to 2^53. */
  milliValue(): number {
    return Number(divideUp(this.#nanos, milliInNanos));
  }

  /** The amount as a floating point number. */
  toNumber(): number {
    return Number(this.#nanos) / 1e9;
  }

  /**
   * The canonical text of this amount: no fraction, and the largest suffix of this quantity's format that keeps it
   * exact. Binary amounts below 1024 or with a fraction are written decimally.
   */
  canonical(): string {
    const nanos = this.#nanos;
    if (nanos === 0n) {
      return "0";
    }
    const whole = nanos % nano === 0n;
    const small = nanos > -1024n * nano && nanos < 1024n * nano;
    return this.format === "BinarySI" && whole && !small ? binaryText(nanos / nano) : decimalText(nanos, this.format);
  }

  toString(): string {
    return this.canonical();
  }

  toJSON(): string {
    return this.canonical();
  }
}

function binaryText(value: bigint): string {
  let exponent = 0;
  let rest = value;
  while (exponent < 60 && rest % 1024n === 0n) {
    rest /= 1024n;
    exponent += 10;
  }
  return `${rest}${binarySuffix.get(exponent) ?? ""}`;
}

function decimalText(nanos: bigint, format: QuantityFormat): string {
  let exponent = -9;
  let rest = nanos;
  const limit = format === "DecimalSI" ? 18 : Number.POSITIVE_INFINITY;
  while (exponent < limit && rest % 1000n === 0n) {
    rest /= 1000n;
    exponent += 3;
  }
  if (format === "DecimalExponent") {
    return exponent === 0 ? `${rest}` : `${rest}e${exponent}`;
  }
  return `${rest}${decimalSuffix.get(exponent) ?? ""}`;
}

/**
 * Parses `+1.5Gi`, `100m`, `12e6`, … Amounts finer than a billionth are rounded away from zero; amounts beyond 2^63-1
 * are reduced to it unless they are written with few digits.
 *
 * @throws QuantityError
 */
export function parseQuantity(text: string): Quantity {
  const { negative, integer, fraction, base, exponent, format } = splitQuantity(text);
  const magnitude = base === 10 ? decimalNanos(integer, fraction, exponent) : binaryNanos(integer, fraction, exponent);
  // Avoids surprising suffixes: 0.5Ki is a whole number, 0.0001Ki is not and is written decimally.
  const kept = format === "BinarySI" && magnitude > 0n && magnitude < nano ? "DecimalSI" : format;
  return new Quantity(negative ? -magnitude : magnitude, kept);
}

/** Digits beyond these can only matter for rounding, so hostile texts of megabytes cost no big arithmetic. */
const maxDigits = 64;
const maxExponent = 64;

function decimalNanos(integer: string, fraction: string, exponent: number): bigint {
  const digits = (integer + fraction).replace(/^0+/, "");
  if (digits === "") {
    return 0n;
  }
  // value = digits × 10^shift billionths
  const shift = exponent - fraction.length + 9;
  if (digits.length + shift > maxDigits + maxExponent) {
    return maxValue * nano;
  }
  if (digits.length + shift <= 0) {
    return 1n;
  }
  if (shift >= 0) {
    return capped(BigInt(digits) * zeros(shift), integer.length + fraction.length <= 18);
  }
  const cut = digits.length + shift;
  const head = BigInt(digits.slice(0, cut)) + (/[1-9]/.test(digits.slice(cut)) ? 1n : 0n);
  return capped(head, false);
}

function binaryNanos(integer: string, fraction: string, exponent: number): bigint {
  if (integer.length > maxDigits) {
    return maxValue * nano;
  }
  const kept = fraction.slice(0, maxDigits);
  const sticky = /[1-9]/.test(fraction.slice(maxDigits)) ? 1n : 0n;
  const scaled = (BigInt(`0${integer}${kept}`) * 10n + sticky) * (1n << BigInt(exponent)) * nano;
  return capped(divideUp(scaled, zeros(kept.length + 1)), false);
}

function capped(nanos: bigint, exempt: boolean): bigint {
  return !exempt && nanos > maxValue * nano ? maxValue * nano : nanos;
}
