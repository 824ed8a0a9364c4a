export { canonicalQuantity, milliValueOf, quantityOf, wholeValueOf as valueOf } from "./fast.ts";
export { QuantityError, type QuantityFormat } from "./grammar.ts";
export { parseQuantity, Quantity } from "./quantity.ts";
