/** Family of the suffix of a quantity; arithmetic keeps it. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** The text is not a quantity. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
}

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const suffixWrong = "unable to parse quantity's suffix";

/** Powers of ten of the decimal suffixes. */
export const decimalExponents: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);

/** Powers of two of the binary suffixes. */
export const binaryExponents: ReadonlyMap<string, number> = new Map([
  ["Ki", 10],
  ["Mi", 20],
  ["Gi", 30],
  ["Ti", 40],
  ["Pi", 50],
  ["Ei", 60],
]);

/** The parts of a quantity's text: sign × integer.fraction × base^exponent. */
export interface QuantityParts {
  readonly negative: boolean;
  /** Digits before the point, without leading zeros; may be empty. */
  readonly integer: string;
  readonly fraction: string;
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eE][-+]?\d+)|[A-Za-z]*)$/;
const suffixShape = /^[eEinumkKMGTP]*[-+]?[0-9]*$/;

/**
 * Splits a quantity into its parts.
 *
 * @throws QuantityError
 */
export function splitQuantity(text: string): QuantityParts {
  const match = pattern.exec(text);
  if (match === null) {
    throw new QuantityError(formatWrong);
  }
  const [, sign = "", digits = "", fraction = "", suffix = ""] = match;
  if (sign.length + suffix.length === text.length || !suffixShape.test(suffix)) {
    throw new QuantityError(formatWrong);
  }
  const scale = scaleOf(suffix);
  if (scale === undefined) {
    throw new QuantityError(suffixWrong);
  }
  return { negative: sign === "-", integer: digits.replace(/^0+/, ""), fraction, ...scale };
}

function scaleOf(suffix: string): Pick<QuantityParts, "base" | "exponent" | "format"> | undefined {
  const decimal = decimalExponents.get(suffix);
  if (decimal !== undefined) {
    return { base: 10, exponent: decimal, format: "DecimalSI" };
  }
  const binary = binaryExponents.get(suffix);
  if (binary !== undefined) {
    return { base: 2, exponent: binary, format: "BinarySI" };
  }
  const exponent = Number(suffix.slice(1));
  return suffix.length > 1 && Number.isSafeInteger(exponent)
    ? { base: 10, exponent, format: "DecimalExponent" }
    : undefined;
}
