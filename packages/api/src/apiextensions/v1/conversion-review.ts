import { type Infer, list, message, object, pointer, raw, required, Status, string } from "@orchernetes/apimachinery";

const pkg = "apiextensions/v1";

export const ConversionReview = object(pkg, "ConversionReview", () => ({
  request: pointer(1, ConversionRequest),
  response: pointer(2, ConversionResponse),
}));
export interface ConversionReview extends Infer<typeof ConversionReview> {}

export const ConversionRequest = message(pkg, "ConversionRequest", () => ({
  uid: required(1, string),
  desiredAPIVersion: required(2, string),
  objects: required(3, list(raw)),
}));
export interface ConversionRequest extends Infer<typeof ConversionRequest> {}

export const ConversionResponse = message(pkg, "ConversionResponse", () => ({
  uid: required(1, string),
  convertedObjects: required(2, list(raw)),
  result: required(3, Status),
}));
export interface ConversionResponse extends Infer<typeof ConversionResponse> {}
