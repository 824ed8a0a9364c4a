import { type Infer, list, message, object, pointer, raw, required, Status, string } from "@orchernetes/apimachinery";

const pkg = "apiextensions/v1";

/** The request to a conversion webhook, and its response. It is never stored. */
export const ConversionReview = object(pkg, "ConversionReview", () => ({
  request: pointer(1, ConversionRequest),
  response: pointer(2, ConversionResponse),
}));
export interface ConversionReview extends Infer<typeof ConversionReview> {}

/** Asks to convert objects. */
export const ConversionRequest = message(pkg, "ConversionRequest", () => ({
  uid: required(1, string),
  desiredAPIVersion: required(2, string),
  objects: required(3, list(raw)),
}));
export interface ConversionRequest extends Infer<typeof ConversionRequest> {}

/** The answer of a conversion webhook. */
export const ConversionResponse = message(pkg, "ConversionResponse", () => ({
  uid: required(1, string),
  convertedObjects: required(2, list(raw)),
  result: required(3, Status),
}));
export interface ConversionResponse extends Infer<typeof ConversionResponse> {}
